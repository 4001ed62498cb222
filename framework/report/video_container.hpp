// SPDX-License-Identifier: BSD-3-Clause
// Files of a video: coded pictures with their times, as WebM and MP4.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ancora {

/// A picture as an encoder has coded it; each follows the one before by the same time.
struct CodedPicture {
    std::string data;
    bool is_key = false;  ///< can be shown without those before it
};

/// How numbers of colours are meant (ITU-T H.273).
struct VideoColours {
    int primaries = 2, transfer = 2, matrix = 2;  ///< 2: not said
};

struct CodedVideo {
    int width = 0, height = 0;  ///< [px]
    double rate = 30.0;         ///< pictures per second
    bool is_vp8 = false;        ///< of WebM; else VP9
    std::string description;    ///< of MP4: the decoder's configuration (ISO/IEC 14496-15)
    VideoColours colours;
    std::vector<CodedPicture> pictures;
};

/// @param note  stands at the end of the file, where no player looks
std::string webm_file(const CodedVideo& video, const std::string& note);
std::string mp4_file(const CodedVideo& video, const std::string& note);

/// The end of each file with this note.
std::string webm_end(const std::string& note);
std::string mp4_end(const std::string& note);

}  // namespace ancora
