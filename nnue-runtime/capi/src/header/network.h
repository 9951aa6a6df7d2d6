/* @NETWORK@: the functions of lib@P@, which `nnue capi` has made with this file.
 *
 * A network is loaded once. Each thread that searches has an evaluator of it, which follows the
 * search: it is told the moves that are made and taken back, and computes only what is evaluated.
 *
 *     @P@_network *network;
 *     if (@P@_network_open("net.nnue", NULL, &network) != NNUE_OK)
 *         puts(@P@_last_error());
 *     @P@_evaluator *evaluator;
 *     @P@_evaluator_new(network, &position@TOLD@, &evaluator);
 *     @P@_evaluator_push(evaluator, nnue_quiet(NNUE_WHITE_PAWN, 12, 28));
 *
 * Errors: functions that can fail return NNUE_OK or a code, and then @P@_last_error() says what was
 * found and what is allowed. A function that fails changes nothing and writes no result. No
 * function lets an exception or a panic out; what is a mistake of this library ends the process
 * with a message, as `abort` does.
 *
 * Pointers: a null pointer is refused with NNUE_NULL_POINTER. Any other pointer must be one that
 * the library gave and that was not freed yet, or must point to a whole object of its type.
 *
 * Threads: a network never changes after it was loaded; any number of threads may use it at once.
 * An evaluator may be used by one thread at a time.
 */
#ifndef NNUE_@P@_H
#define NNUE_@P@_H

#include <stddef.h>
#include <stdint.h>

/* What the headers of all networks have in common. */
#ifndef NNUE_TYPES_H
#define NNUE_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call. */
typedef int32_t nnue_status;
enum {
    NNUE_OK = 0,
    NNUE_NULL_POINTER = 1, /* a pointer is null that must not be */
    NNUE_NET_FILE = 2,     /* the net file cannot be read, or is not this network's */
    NNUE_LEVEL = 3,        /* there is no such level, or this machine lacks it */
    NNUE_POSITION = 4,     /* the position breaks what is said at nnue_position */
    NNUE_MOVE = 5,         /* the move has a wrong piece or square, or does not fit the position */
    NNUE_BUCKET = 6        /* the network has no bucket of that number */
};

/* Colours. */
enum { NNUE_WHITE = 0, NNUE_BLACK = 1 };

/* Pieces: 6 * colour + role. */
enum {
    NNUE_WHITE_PAWN = 0,
    NNUE_WHITE_KNIGHT = 1,
    NNUE_WHITE_BISHOP = 2,
    NNUE_WHITE_ROOK = 3,
    NNUE_WHITE_QUEEN = 4,
    NNUE_WHITE_KING = 5,
    NNUE_BLACK_PAWN = 6,
    NNUE_BLACK_KNIGHT = 7,
    NNUE_BLACK_BISHOP = 8,
    NNUE_BLACK_ROOK = 9,
    NNUE_BLACK_QUEEN = 10,
    NNUE_BLACK_KING = 11,
    NNUE_NO_PIECE = 12
};

/* Squares are 0 to 63: a1 is 0, b1 is 1, a2 is 8, h8 is 63. */

/* A position: one king of each colour, and at most one piece on a square. Whether a game can reach it
 * does not matter. */
typedef struct nnue_position {
    uint64_t pieces[12]; /* the squares of each piece, in the order of the numbers of pieces; bit 0
                            is a1, bit 63 is h8 */
    int32_t side_to_move; /* NNUE_WHITE or NNUE_BLACK */
} nnue_position;

/* An evaluation. `value` is in the units of the network's engine, which are not hundredths of a
 * pawn. */
typedef struct nnue_output {
    int32_t psqt;       /* the part of the piece-square values; 0 for networks without them */
    int32_t positional; /* the part of the layers, in the same units */
    int32_t value;      /* both together, in the engine's units */
} nnue_output;

/* The evaluation of a network that predicts how the game ends. */
typedef struct nnue_wdl {
    nnue_output win, draw, loss;
} nnue_wdl;

/* What a move changes on the board: the pieces that leave their squares, and then those that are
 * put on squares, up to four of each. Make it with the functions below and not by hand. It is 16
 * bytes that may be copied and kept. */
typedef struct nnue_move {
    uint64_t removed, added;
} nnue_move;

/* A position of a line: the move that led there, and what the library has computed of it. */
typedef struct nnue_ply {
    uint64_t removed, added;
    uint64_t views, computed;
} nnue_ply;

/* What `views` is after a move: those of no accumulator. */
#define NNUE_NO_VIEWS UINT64_C(0xFFFFFFFFFFFFFFFF)

/* The moves that were made and not taken back, from `first` to before `end`, in memory of the
 * library with room to before `limit`. Most moves of a search are taken back before anything is
 * evaluated, so making and taking back need no call. */
typedef struct nnue_line {
    nnue_ply *first, *end, *limit;
} nnue_line;

static inline void nnue_line_make(nnue_line *line, nnue_move move) {
    line->end->removed = move.removed;
    line->end->added = move.added;
    line->end->views = NNUE_NO_VIEWS;
    line->end->computed = 0;
    line->end++;
}

/* Marks an entry that there is not. A move whose first removed entry has it is refused. */
#define NNUE_WRONG_ENTRY UINT64_C(0x80)

static inline uint64_t nnue_entry(int piece, int square) {
    if ((unsigned)piece >= 12 || (unsigned)square >= 64)
        return NNUE_WRONG_ENTRY;
    return (uint64_t)square | (uint64_t)(piece + 1) << 8
           | (uint64_t)(piece == NNUE_WHITE_KING) << 14 | (uint64_t)(piece == NNUE_BLACK_KING) << 15;
}

/* Puts an entry behind those of a list of the move. */
static inline void nnue_append(nnue_move *move, uint64_t *list, uint64_t entry) {
    uint64_t wrong = *list >> 48 ? NNUE_WRONG_ENTRY : entry & NNUE_WRONG_ENTRY;
    *list |= *list >> 48   ? 0
             : *list >> 32 ? entry << 48
             : *list >> 16 ? entry << 32
             : *list       ? entry << 16
                           : entry;
    move->removed |= wrong;
}

/* A null move: only the side to move changes. */
static inline nnue_move nnue_null_move(void) {
    nnue_move move = {0, 0};
    return move;
}

/* A piece leaves a square. With `nnue_put`, this makes any move piece by piece, beginning with
 * `nnue_null_move`. The order does not matter: all pieces leave before any is put. */
static inline void nnue_remove(nnue_move *move, int piece, int square) {
    nnue_append(move, &move->removed, nnue_entry(piece, square));
}

/* A piece is put on a square. */
static inline void nnue_put(nnue_move *move, int piece, int square) {
    nnue_append(move, &move->added, nnue_entry(piece, square));
}

/* A move to an empty square that is neither castling nor a promotion. */
static inline nnue_move nnue_quiet(int piece, int from, int to) {
    nnue_move move = nnue_null_move();
    nnue_remove(&move, piece, from);
    nnue_put(&move, piece, to);
    return move;
}

/* A capture that is no promotion. `captured_on` is `to`, except en passant: then it is the square
 * of the captured pawn. */
static inline nnue_move nnue_capture(int piece, int from, int to, int captured, int captured_on) {
    nnue_move move = nnue_quiet(piece, from, to);
    nnue_remove(&move, captured, captured_on);
    return move;
}

/* A pawn becomes `promoted`, a piece of its colour. `captured` is the piece that it captures on
 * `to`, or NNUE_NO_PIECE. */
static inline nnue_move nnue_promotion(int promoted, int from, int to, int captured) {
    nnue_move move = nnue_null_move();
    nnue_remove(&move, promoted < NNUE_BLACK_PAWN ? NNUE_WHITE_PAWN : NNUE_BLACK_PAWN, from);
    if (captured != NNUE_NO_PIECE)
        nnue_remove(&move, captured, to);
    nnue_put(&move, promoted, to);
    return move;
}

/* Castling. In Chess960 a piece may stay where it is, and may go to where the other one was. */
static inline nnue_move nnue_castling(int color, int king_from, int king_to, int rook_from,
                                      int rook_to) {
    int king = color == NNUE_WHITE ? NNUE_WHITE_KING : NNUE_BLACK_KING;
    int rook = color == NNUE_WHITE ? NNUE_WHITE_ROOK : NNUE_BLACK_ROOK;
    nnue_move move = nnue_null_move();
    if (king_from != king_to)
        move = nnue_quiet(king, king_from, king_to);
    if (rook_from != rook_to) {
        nnue_remove(&move, rook, rook_from);
        nnue_put(&move, rook, rook_to);
    }
    return move;
}

/* The position of a board that has a piece, or NNUE_NO_PIECE, for each square. */
static inline nnue_position nnue_position_of_mailbox(const uint8_t squares[64], int side_to_move) {
    nnue_position position = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0};
    int square;
    for (square = 0; square < 64; square++)
        if (squares[square] < 12)
            position.pieces[squares[square]] |= UINT64_C(1) << square;
    position.side_to_move = side_to_move;
    return position;
}

/* The position of a board that has the squares of each colour (white, black) and of each role
 * (pawn, knight, bishop, rook, queen, king). */
static inline nnue_position nnue_position_of_sets(const uint64_t colors[2], const uint64_t roles[6],
                                                  int side_to_move) {
    nnue_position position;
    int piece;
    for (piece = 0; piece < 12; piece++)
        position.pieces[piece] = colors[piece / 6] & roles[piece % 6];
    position.side_to_move = side_to_move;
    return position;
}

#ifdef __cplusplus
}
#endif

#endif /* NNUE_TYPES_H */

#ifdef __cplusplus
extern "C" {
#endif

/* A network with its weights, and what follows a search with it. */
typedef struct @P@_network @P@_network;
typedef struct @P@_evaluator @P@_evaluator;

/* What an evaluator begins with. It is the library's: functions below read and write it. */
struct @P@_evaluator {
    nnue_line line;
};

/* What the last call in this thread that failed has found, in English, one line of UTF-8. The text
 * is the library's, until another call in this thread fails. */
const char *@P@_last_error(void);

/* The name of the network in its spec. */
const char *@P@_name(void);

/* How many buckets the network has: copies of its layers. A position uses one of them. */
uint32_t @P@_buckets(void);

/* The name of the instruction set of that number that this machine and this library have, the
 * slowest first; null from the end of the list on. All compute the same integers. */
const char *@P@_level_name(size_t index);

/* Loads a net file, and checks that it is this network's. `path` is UTF-8. `level` is the name of an
 * instruction set; null stands for the one that the environment variable NNUE_LEVEL names, or else
 * the fastest. */
nnue_status @P@_network_open(const char *path, const char *level, @P@_network **network);

/* The same of a net file in memory, which is not needed any more afterwards. */
nnue_status @P@_network_from_bytes(const uint8_t *bytes, size_t len, const char *level,
                                   @P@_network **network);
#if embedded

/* The network whose weights are part of the library. */
nnue_status @P@_network_embedded(const char *level, @P@_network **network);
#endif

/* The name of the instruction set that evaluates; null for a null pointer. */
const char *@P@_network_level(const @P@_network *network);

/* Gives the network back. Evaluators that are left keep its weights until they are freed, too. Does
 * nothing for a null pointer. */
void @P@_network_free(@P@_network *network);

/* An evaluator that starts at a position. It takes a megabyte or less for most networks. */
nnue_status @P@_evaluator_new(const @P@_network *network, const nnue_position *position@CLOCK@,
                              @P@_evaluator **evaluator);

/* Gives the evaluator back. Does nothing for a null pointer. */
void @P@_evaluator_free(@P@_evaluator *evaluator);

/* Starts anew at a position. This is faster than another evaluator, which would begin with an
 * empty cache. */
nnue_status @P@_evaluator_reset(@P@_evaluator *evaluator, const nnue_position *position@CLOCK@);
#if clock

/* Says how many half moves were made since the last capture or move of a pawn; more than 255 are
 * as 255. Moves count by themselves, a null move too: it is for engines that count otherwise. */
nnue_status @P@_evaluator_set_halfmove_clock(@P@_evaluator *evaluator, uint32_t halfmove_clock);
#endif

/* The same as `@P@_evaluator_push` and `@P@_evaluator_pop` below, for languages other than C and
 * C++: those are code of this header, and these are functions of the library. */
nnue_status @P@_evaluator_push_called(@P@_evaluator *evaluator, nnue_move move);
nnue_status @P@_evaluator_pop_called(@P@_evaluator *evaluator);

/* Makes a move if it fits the position: for tests of an engine, as it takes longer. */
nnue_status @P@_evaluator_push_checked(@P@_evaluator *evaluator, nnue_move move);
#if by_pieces

/* Evaluates the position, from @VIEW@. */
nnue_status @P@_evaluator_evaluate(@P@_evaluator *evaluator, @OUTPUT@ *output);
#endif

/* Evaluates with the layers of a bucket, from 0 on, from @VIEW@. */
nnue_status @P@_evaluator_evaluate_bucket(@P@_evaluator *evaluator, uint32_t bucket,
                                          @OUTPUT@ *output);

/* Makes a move. It is only noted down, and computed when it is evaluated. A move that does not fit
 * the position makes evaluations meaningless until the position is reset. */
static inline nnue_status @P@_evaluator_push(@P@_evaluator *evaluator, nnue_move move) {
    if ((move.removed & NNUE_WRONG_ENTRY) || !evaluator
        || evaluator->line.end == evaluator->line.limit)
        return @P@_evaluator_push_called(evaluator, move);
    nnue_line_make(&evaluator->line, move);
    return NNUE_OK;
}

/* Takes the last move back. Fails with NNUE_MOVE if there is none. */
static inline nnue_status @P@_evaluator_pop(@P@_evaluator *evaluator) {
    if (evaluator && evaluator->line.end != evaluator->line.first) {
        evaluator->line.end--;
        return NNUE_OK;
    }
    return @P@_evaluator_pop_called(evaluator);
}

#ifdef __cplusplus
}

#include <memory>

/* The same with owners, which free what they own. Where C functions return a code, these return
 * null, and @P@_last_error() has the reason. They throw nothing. */
namespace @P@ {

/* What the network evaluates to. */
using output = @OUTPUT@;

struct free_network {
    void operator()(@P@_network *network) const noexcept { @P@_network_free(network); }
};
struct free_evaluator {
    void operator()(@P@_evaluator *evaluator) const noexcept { @P@_evaluator_free(evaluator); }
};
using network_ptr = std::unique_ptr<@P@_network, free_network>;
using evaluator_ptr = std::unique_ptr<@P@_evaluator, free_evaluator>;

inline network_ptr open(const char *path, const char *level = nullptr) noexcept {
    @P@_network *network = nullptr;
    @P@_network_open(path, level, &network);
    return network_ptr(network);
}
#if embedded

inline network_ptr embedded(const char *level = nullptr) noexcept {
    @P@_network *network = nullptr;
    @P@_network_embedded(level, &network);
    return network_ptr(network);
}
#endif

inline evaluator_ptr evaluator(const network_ptr &network, const nnue_position &position@CLOCK@) noexcept {
    @P@_evaluator *made = nullptr;
    @P@_evaluator_new(network.get(), &position@TOLD@, &made);
    return evaluator_ptr(made);
}

} // namespace @P@
#endif

#endif /* NNUE_@P@_H */
