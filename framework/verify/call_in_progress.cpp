// SPDX-License-Identifier: BSD-3-Clause
// The child's side of the memory in which it names its calls.
#include "call_in_progress.hpp"

#include <algorithm>
#include <cstring>

namespace ancora::verify {
namespace {

char* shared_page = nullptr;

}  // namespace

CallInProgress::CallInProgress(std::string_view name) {
    if (shared_page == nullptr) return;
    const std::size_t count = std::min(name.size(), kCallNameBytes - 1);
    std::memcpy(shared_page, name.data(), count);
    shared_page[count] = '\0';
}

CallInProgress::~CallInProgress() {
    if (shared_page != nullptr) shared_page[0] = '\0';
}

void CallInProgress::write_to(char* memory) {
    shared_page = memory;
}

}  // namespace ancora::verify
