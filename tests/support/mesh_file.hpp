// SPDX-License-Identifier: BSD-3-Clause
// A mesh of Gmsh with all that tests ask of one, and files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace ancora::testing {

/// A file that lives as long as this object.
class MeshFile {
public:
    explicit MeshFile(const std::string& content)
        : path_((std::filesystem::temp_directory_path() /
                 ("ancora-mesh-" + std::to_string(::getpid())))
                    .string()) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~MeshFile() { std::filesystem::remove(path_); }
    MeshFile(const MeshFile&) = delete;
    MeshFile& operator=(const MeshFile&) = delete;
    const char* path() const { return path_.c_str(); }

private:
    std::string path_;
};

/// Two curves with four lines in all, and a square face; node 30 belongs to the face alone. Tags
/// are sparse, one node carries a parameter, curve 2 is in two groups, one with a sign and no name.
inline const std::string kGmsh = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Comments
free text $ 12
$EndComments
$PhysicalNames
3
0 5 "tip"
1 1 "lower rim"
1 2 "boom"
$EndPhysicalNames
$Entities
1 2 1 0
9 2 0 0.5 1 5
1 0 0 0 2 0 0 1 1 2 9 -9
2 0 0 0 2 1 0 2 2 -7 2 9 -9
4 0 0 0 2 1 0 1 3 2 1 -2
$EndEntities
$Nodes
3 6 3 1000000000000
0 9 0 1
1000000000000
2 0 0.5
1 1 1 2
3
12
0 0 0 0.25
1 0 0 0.75
2 4 0 3
20
30
25
0 1 0
9 9 9
1 1 1e-1
$EndNodes
$Elements
4 6 1 60
0 9 15 1
1 1000000000000
1 1 1 2
10 3 12 
11 12 1000000000000 
1 2 1 2
12 1000000000000 25
14 25 20
2 4 3 1
60 3 12 25 20
$EndElements
)";

}  // namespace ancora::testing
