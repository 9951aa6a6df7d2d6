// What an engine does with a network, without the search: it makes moves and takes them back on a
// board of its own, tells an evaluator of them, and asks what positions are worth.
//
//     nnue capi SPEC --name net --out lib
//     c++ -std=c++17 -O2 -Ilib lines.cpp lib/libnet.a -lpthread -ldl -lm -o lines
//     ./lines net.nnue < lines.txt
//
// Each line is `FEN; TOKENS`: `e2e4` and `e7e8q` are moves, castling is the king's two steps, `-`
// takes a move back, `0` passes, `~` takes that back, and `=` evaluates. The output has a line for
// each evaluation. `./lines FILE THREADS` shares the lines among threads, which share the network.

#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "net.h"

// A board with the piece of each square, numbered as in the header.
class Board {
  public:
    explicit Board(const std::string &fen) {
        std::memset(squares, NNUE_NO_PIECE, sizeof squares);
        std::istringstream fields(fen);
        std::string placement, turn;
        fields >> placement >> turn;
        int square = 56;
        for (char letter : placement) {
            if (letter == '/')
                square -= 16;
            else if (letter >= '1' && letter <= '8')
                square += letter - '0';
            else if (square >= 0 && square < 64)
                squares[square++] = static_cast<uint8_t>(number_of(letter));
        }
        side = turn == "b" ? NNUE_BLACK : NNUE_WHITE;
    }

    nnue_position position() const { return nnue_position_of_mailbox(squares, side); }

    // Makes a move in the notation of UCI, and says what it changes.
    nnue_move make(const std::string &uci) {
        const int from = square_of(uci, 0), to = square_of(uci, 2);
        const int piece = squares[from], captured = squares[to], mover = side;
        pass();
        set(from, NNUE_NO_PIECE);
        if (uci.size() > 4) {
            const int promoted = 6 * mover + number_of(static_cast<char>(std::toupper(uci[4])));
            set(to, promoted);
            return nnue_promotion(promoted, from, to, captured);
        }
        set(to, piece);
        if (piece % 6 == NNUE_WHITE_KING && std::abs(from - to) == 2) {
            const int corner = to > from ? to + 1 : to - 2, beside = (from + to) / 2;
            set(beside, squares[corner]);
            set(corner, NNUE_NO_PIECE);
            return nnue_castling(mover, from, to, corner, beside);
        }
        if (piece % 6 == NNUE_WHITE_PAWN && from % 8 != to % 8 && captured == NNUE_NO_PIECE) {
            const int passed = from / 8 * 8 + to % 8, pawn = squares[passed];
            set(passed, NNUE_NO_PIECE);
            return nnue_capture(piece, from, to, pawn, passed);
        }
        return captured == NNUE_NO_PIECE ? nnue_quiet(piece, from, to)
                                         : nnue_capture(piece, from, to, captured, to);
    }

    // Passes: the other side is to move.
    void pass() {
        began.push_back(changed.size());
        side = !side;
    }

    // Takes the last move back, or the last pass.
    void unmake() {
        for (; changed.size() > began.back(); changed.pop_back())
            squares[changed.back().first] = changed.back().second;
        began.pop_back();
        side = !side;
    }

  private:
    uint8_t squares[64];
    int side;
    // The squares that moves have changed, with what was there, and how many there were before each.
    std::vector<std::pair<int, uint8_t>> changed;
    std::vector<size_t> began;

    static int number_of(char letter) {
        static const char letters[] = "PNBRQKpnbrqk";
        const char *found = std::strchr(letters, letter);
        return found ? static_cast<int>(found - letters) : NNUE_NO_PIECE;
    }

    static int square_of(const std::string &uci, size_t at) {
        return (uci[at] - 'a') + 8 * (uci[at + 1] - '1');
    }

    void set(int square, int piece) {
        changed.emplace_back(square, squares[square]);
        squares[square] = static_cast<uint8_t>(piece);
    }
};

static void write(std::ostream &out, const nnue_output &output) {
    out << output.psqt << ' ' << output.positional << ' ' << output.value;
}

// Of a network that predicts how the game ends.
[[maybe_unused]] static void write(std::ostream &out, const nnue_wdl &output) {
    write(out, output.win);
    write(out << ' ', output.draw);
    write(out << ' ', output.loss);
}

// Follows a line, and returns its evaluations or what is wrong.
static std::string follow(const net::network_ptr &network, const std::string &line) {
    const size_t end = line.find(';');
    Board board(line.substr(0, end));
    net::evaluator_ptr evaluator = net::evaluator(network, board.position());
    if (!evaluator)
        return std::string(net_last_error()) + '\n';
    std::istringstream tokens(end == std::string::npos ? "" : line.substr(end + 1));
    std::ostringstream out;
    for (std::string token; tokens >> token;) {
        nnue_status status = NNUE_OK;
        net::output output;
        if (token == "=") {
            status = net_evaluator_evaluate(evaluator.get(), &output);
            write(out, output);
            out << '\n';
        } else if (token == "-" || token == "~") {
            board.unmake();
            status = net_evaluator_pop(evaluator.get());
        } else if (token == "0") {
            board.pass();
            status = net_evaluator_push(evaluator.get(), nnue_null_move());
        } else {
            status = net_evaluator_push(evaluator.get(), board.make(token));
        }
        if (status != NNUE_OK)
            return std::string(net_last_error()) + '\n';
    }
    return out.str();
}

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: lines NET-FILE [THREADS] < LINES\n");
        return 2;
    }
    const net::network_ptr network = net::open(argv[1]);
    if (!network) {
        std::fprintf(stderr, "%s\n", net_last_error());
        return 1;
    }
    std::vector<std::string> lines, answers;
    for (std::string line; std::getline(std::cin, line);)
        lines.push_back(line);
    answers.resize(lines.size());

    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t i; (i = next++) < lines.size();)
            answers[i] = follow(network, lines[i]);
    };
    std::vector<std::thread> threads;
    for (int i = 1; argc > 2 && i < std::atoi(argv[2]); i++)
        threads.emplace_back(work);
    work();
    for (std::thread &thread : threads)
        thread.join();
    for (const std::string &answer : answers)
        std::cout << answer;
}
