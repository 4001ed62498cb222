// SPDX-License-Identifier: BSD-3-Clause
// Everything of one run that is drawn in the scene.
"use strict";

class Actors {
    constructor(scene, size, ghost) {
        this.scene = scene;
        this.ghost = ghost;
        this.solids = new Solids(scene.bodies, size, ghost);
        this.networks = scene.bodies.filter(body => body.nodes).map(body => new Network(body, ghost));
        this.constraints = new Markers(scene.constraints, "constraint");
        this.forces = new Markers(scene.forces, "applied");
        this.reactions = new Arrows(scene.constraints, "reaction", size, ghost);
        this.applied = new Arrows(scene.forces, "applied", size, ghost);
        this.paths = [];
    }

    addTo(stage) {
        stage.add(...this.solids.meshes, ...this.networks.flatMap(network => network.drawables));
        if (!this.ghost) stage.add(...this.constraints.drawables, ...this.forces.drawables);
        const arrows = [...this.reactions.drawables, ...this.applied.drawables];
        if (arrows.length) stage.add(...arrows);
    }

    show(what) {
        for (const drawable of this.constraints.drawables) drawable.visible = what.constraints;
        for (const drawable of this.forces.drawables) drawable.visible = what.constraints;
        for (const drawable of [...this.reactions.drawables, ...this.applied.drawables]) drawable.visible = what.arrows;
    }

    /** The colour of an object: a ghost's for a second run. */
    colourOf(object) {
        const colours = palette();
        if (this.ghost) return colours.ghost;
        return colours.objects[this.scene.bodies.indexOf(object) % colours.objects.length];
    }

    paint(channelOf) {
        const colours = palette();
        this.solids.paint(body => this.colourOf(body));
        for (const network of this.networks) {
            const { channel, scale } = channelOf(network.body);
            network.paint(channel, scale, this.ghost ? colours.ghost : colours.plain);
        }
        this.constraints.paint();
        this.forces.paint();
        this.reactions.paint(colours.reaction);
        this.applied.paint(colours.applied);
        for (const path of this.paths) path.paint(this.ghost ? colours.ghost : colours.trace);
    }

    update(t, arrow) {
        const place = this.scene.place.find(t);
        this.solids.update(place);
        for (const network of this.networks) network.update(place);
        this.constraints.update(place);
        this.forces.update(place);
        this.reactions.update(place, arrow.largest, arrow.length);
        this.applied.update(place, arrow.largest, arrow.length);
        for (const path of this.paths) path.update(place);
    }

    /** Draws the paths of these objects and of no others. */
    trace(stage, objects) {
        for (const path of this.paths) {
            stage.remove(path.line);
            path.dispose();
        }
        this.paths = objects.map(object => new Path(object, this.scene.times));
        if (this.paths.length) stage.add(...this.paths.map(path => path.line));
    }
}
