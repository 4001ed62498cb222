// SPDX-License-Identifier: BSD-3-Clause
// The child's side of the memory in which it names its calls.
#include "call_in_progress.hpp"

#include <algorithm>
#include <cstring>

namespace ancora::verify {
namespace {

char* page = nullptr;

}  // namespace

CallInProgress::CallInProgress(std::string_view name) {
    if (page == nullptr) return;
    const std::size_t count = std::min(name.size(), kCallNameBytes - 1);
    std::memcpy(page, name.data(), count);
    page[count] = '\0';
}

CallInProgress::~CallInProgress() {
    if (page != nullptr) page[0] = '\0';
}

void CallInProgress::write_to(char* memory) {
    page = memory;
}

}  // namespace ancora::verify
