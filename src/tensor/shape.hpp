// Up to four extents, outermost first: a [rows, columns] matrix is Shape{rows, columns}, rows contiguous.
// (GGUF lists dimensions innermost first; the reader turns them around, so that this is the only order in the code.)
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/check.hpp"

namespace godwit {

class Shape {
public:
    static constexpr int kMaxRank = 4;

    Shape() = default;
    Shape(std::initializer_list<int64_t> extents) {
        CHECK(extents.size() <= kMaxRank);
        rank_ = static_cast<int>(extents.size());
        for (int i = 0; i < rank_; ++i) extents_[i] = extents.begin()[i];
    }

    void push_back(int64_t extent) {
        CHECK(rank_ < kMaxRank);
        extents_[rank_++] = extent;
    }
    int rank() const { return rank_; }
    int64_t operator[](int i) const { return extents_[i]; }
    int64_t innermost() const { return rank_ == 0 ? 1 : extents_[rank_ - 1]; }
    /// Product of all extents; the caller has bounded it (file/ checks for overflow before a Shape leaves it).
    int64_t elements() const {
        int64_t n = 1;
        for (int i = 0; i < rank_; ++i) n *= extents_[i];
        return n;
    }
    /// Product of all extents but the innermost.
    int64_t rows() const { return rank_ == 0 ? 1 : (innermost() == 0 ? 0 : elements() / innermost()); }
    bool operator==(const Shape& other) const = default;
    /// Without extents of 1 in front: files may write any number of them.
    Shape trimmed() const {
        int first = 0;
        while (first < rank_ && extents_[first] == 1) ++first;
        Shape shape;
        for (int i = first; i < rank_; ++i) shape.push_back(extents_[i]);
        return shape;
    }
    /// For messages: "[576, 49152]".
    std::string to_string() const {
        std::string s = "[";
        for (int i = 0; i < rank_; ++i) s += (i ? ", " : "") + std::to_string(extents_[i]);
        return s + "]";
    }

private:
    std::array<int64_t, kMaxRank> extents_{};
    int rank_ = 0;
};

}  // namespace godwit
