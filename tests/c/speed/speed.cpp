// The recorded search, followed in C++ as `speed.rs` follows it in Rust: `speed FILE NET PASSES`
// prints nanoseconds per evaluation and the sum of all values.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "net.h"

struct Step {
    int kind;
    nnue_move move;
    size_t position;
};

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    std::ifstream file(argv[1], std::ios::binary);
    auto next = [&] {
        uint64_t number = 0;
        file.read(reinterpret_cast<char *>(&number), sizeof number);
        return number;
    };
    std::vector<Step> steps;
    std::vector<nnue_position> positions;
    for (uint64_t kind = next(); file; kind = next()) {
        Step step{static_cast<int>(kind), {0, 0}, positions.size()};
        if (kind == 0) {
            nnue_position position;
            for (uint64_t &squares : position.pieces)
                squares = next();
            position.side_to_move = static_cast<int32_t>(next());
            positions.push_back(position);
        } else if (kind == 1) {
            step.move.removed = next();
            step.move.added = next();
        }
        steps.push_back(step);
    }
    const auto network = net::open(argv[2]);
    if (!network || positions.empty())
        return std::puts(net_last_error()), 1;
    const auto owner = net::evaluator(network, positions[0]);
    net_evaluator *evaluator = owner.get();
    if (!evaluator)
        return std::puts(net_last_error()), 1;
    double best = 1e99;
    uint64_t sum = 0;
    for (int pass = std::atoi(argv[3]); pass > 0; pass--) {
        const auto started = std::chrono::steady_clock::now();
        int evaluations = 0;
        sum = 0;
        for (const Step &step : steps) {
            nnue_output output;
            switch (step.kind) {
            case 0: net_evaluator_reset(evaluator, &positions[step.position]); break;
            case 1: net_evaluator_push(evaluator, step.move); break;
            case 2: net_evaluator_pop(evaluator); break;
            default:
                net_evaluator_evaluate(evaluator, &output);
                sum += static_cast<uint32_t>(output.value);
                evaluations++;
            }
        }
        const std::chrono::duration<double, std::nano> took =
            std::chrono::steady_clock::now() - started;
        best = std::min(best, took.count() / evaluations);
    }
    std::printf("%.2f %llu\n", best, static_cast<unsigned long long>(sum));
}
