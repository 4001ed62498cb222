// SPDX-License-Identifier: BSD-3-Clause
// What the page of `ancora report` needs of three.js; update.sh bundles it into three.min.js.
export {
    BoxGeometry,
    BufferAttribute,
    BufferGeometry,
    Color,
    ColorManagement,
    ConeGeometry,
    CylinderGeometry,
    DoubleSide,
    DynamicDrawUsage,
    InstancedBufferAttribute,
    InstancedMesh,
    Line,
    LineBasicMaterial,
    LineSegments,
    LinearSRGBColorSpace,
    Matrix4,
    PerspectiveCamera,
    Points,
    Quaternion,
    Raycaster,
    Scene,
    ShaderMaterial,
    SphereGeometry,
    Vector2,
    Vector3,
    WebGLRenderer,
} from "three";
export { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
export { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
export { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
export { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
