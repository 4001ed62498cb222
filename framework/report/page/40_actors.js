// SPDX-License-Identifier: BSD-3-Clause
// Everything of one run that is drawn in the scene.
"use strict";

class Actors {
    constructor(scene, size, machine, ghost) {
        this.scene = scene;
        this.ghost = ghost;
        this.size = size;
        this.poses = new Poses(scene.bodies);
        this.poses.update(new Place(scene.times));
        this.solids = solidsOf(scene, size, ghost, body => this.colourOf(body));
        this.networks = scene.bodies.filter(body => body.nodes && !body.hidden).map(body => new Network(body, ghost));
        this.joints = new Joints(ghost ? { ...scene, joints: [], springs: [] } : scene, this.poses, size);
        const begin = new Place(scene.times);
        this.round = [...roundNetworks(this.networks, begin, size), ...sweptNetworks(this.networks, begin, size)];
        this.ropes = ghost ? [] : ropesOf(scene, size);
        for (const { object } of this.ropes) this.joints.named.add(object.name);
        this.frames = null;
        this.constraints = new Markers(scene.constraints, "constraint", this.joints.named);
        this.forces = new Markers(scene.forces, "applied", this.joints.named);
        this.reactions = new Arrows(scene.constraints, "reaction", machine, ghost);
        this.applied = new Arrows(scene.forces, "applied", machine, ghost);
        this.moments = new RoundArrows(scene.constraints, machine, ghost);
        this.torques = new RoundArrows(scene.forces, machine, ghost);
        this.paths = [];
    }

    addTo(stage) {
        this.stage = stage;
        for (const drawable of [...this.solids.drawables, ...this.networks.flatMap(network => network.drawables),
            ...[...this.round, ...this.ropes].flatMap(({ drawables }) => drawables), ...this.joints.drawables, ...this.arrows()]) stage.add(drawable);
        if (!this.ghost) stage.add(...this.constraints.drawables, ...this.forces.drawables);
    }

    arrows() {
        return [this.reactions, this.applied, this.moments, this.torques].flatMap(({ drawables }) => drawables);
    }

    show(what) {
        if (what.frames && !this.frames && !this.ghost) this.addFrames();
        for (const drawable of this.frames?.drawables ?? []) drawable.visible = what.frames;
        for (const drawable of this.joints.drawables) drawable.visible = what.joints;
        for (const rope of this.ropes) for (const drawable of rope.drawables) drawable.visible = what.joints;
        for (const drawable of this.constraints.drawables) drawable.visible = what.constraints;
        for (const drawable of this.forces.drawables) drawable.visible = what.constraints;
        for (const drawable of this.arrows()) drawable.visible = what.arrows;
    }

    /** Made when they are first asked for: few look at them. */
    addFrames() {
        this.frames = framesOf(this.scene, this.size);
        for (const drawable of this.frames.drawables) this.stage.add(drawable);
        this.frames.paint("");
        this.frames.update(this.poses);
    }

    /** The colour of an object: a ghost's for a second run. */
    colourOf(object) {
        const colours = palette();
        if (this.ghost) return colours.ghost;
        return colours.objects[this.scene.bodies.indexOf(object) % colours.objects.length];
    }

    paint(channelOf) {
        const colours = palette();
        const selected = this.ghost ? "" : state.get("select");
        this.solids.paint(selected);
        this.joints.paint(selected);
        this.frames?.paint("");
        for (const network of this.networks) {
            const { channel, scale } = channelOf(network.body);
            // What has no value of the chosen colour must not look like one that is low or high.
            network.paint(channel, scale, this.ghost ? colours.ghost : !channel && scale ? colours.valueless : colours.plain);
        }
        for (const part of [...this.round, ...this.ropes]) part.paint(selected);
        this.constraints.paint();
        this.forces.paint();
        this.reactions.paint(colours.reaction);
        this.applied.paint(colours.applied);
        this.moments.paint(colours.reaction);
        this.torques.paint(colours.applied);
        for (const path of this.paths) path.paint(this.ghost ? colours.ghost : colours.trace);
    }

    update(t, arrow) {
        const place = this.scene.place.find(t);
        this.poses.update(place);
        this.solids.update(this.poses);
        this.joints.update(place);
        this.frames?.update(this.poses);
        for (const network of this.networks) network.update(place);
        for (const part of [...this.round, ...this.ropes]) part.update(place);
        this.constraints.update(place);
        this.forces.update(place);
        this.reactions.update(place, arrow.largest, arrow.length);
        this.applied.update(place, arrow.largest, arrow.length);
        this.moments.update(place, arrow.torque, 0.27 * arrow.length);
        this.torques.update(place, arrow.torque, 0.27 * arrow.length);
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
