// A plugin of qemu that counts the cache lines which each evaluation of the workload touches, and
// prints a table of them to standard error when the program ends. With the argument `list=on` it
// prints each line too. As plugin.c does, it declares what it uses of qemu's interface.
//
// The workload has two functions that the plugin knows by their names: what `caller_owns` reads is
// the caller's, and counts as nothing; an evaluation ends with `evaluation_ends`, which reads from
// the stack. The memory of the evaluator is all that is ever written after `caller_owns`.

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
struct block;
struct instruction;
typedef void (*executed_callback)(unsigned, void *);
typedef void (*access_callback)(unsigned, uint32_t, uint64_t, void *);

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct block *));
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct instruction *, executed_callback, int,
                                                   void *);
extern void qemu_plugin_register_vcpu_mem_cb(struct instruction *, access_callback, int, int,
                                             void *);
extern void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct block *);
extern struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct instruction *);
extern size_t qemu_plugin_insn_size(const struct instruction *);
extern const char *qemu_plugin_insn_symbol(const struct instruction *);
extern unsigned qemu_plugin_mem_size_shift(uint32_t);
extern bool qemu_plugin_mem_is_store(uint32_t);

int qemu_plugin_version = 1;

enum { NO_REGISTERS = 0, READS_AND_WRITES = 3 };
enum { LINE = 64, IN_A_ROW = 100, NEAR_STACK = 1 << 16, NEAR_CODE = 1 << 23 };
enum { LINES = 1 << 22, RECORDS = 1 << 24, EVALUATIONS = 1 << 16 };

enum kind { CODE, WEIGHTS, EVALUATOR, WRITTEN, STACK, CONSTANTS, ALL, KINDS };
static const char *const NAMES[KINDS] = {
    "code", "weights", "evaluator", "  written", "stack", "constants", "all",
};

struct line {
    uint64_t address;
    bool used, is_code, is_written, is_callers;
    uint32_t last_record, last_row[2];
    const char *symbol;
    uint32_t evaluations;
    uint64_t bytes[2];
};

// A line that an evaluation touches: a bit for each byte that is read or fetched, and written.
struct record {
    struct line *line;
    uint64_t bytes[2];
};

struct code {
    uint64_t address;
    size_t size;
    const char *symbol;
};

static struct line lines[LINES];
static struct record records[RECORDS];
static uint32_t first_record[EVALUATIONS + 1];
static uint64_t instructions[EVALUATIONS];
static uint32_t record_count, line_count, evaluation;
static uint64_t stack, program;
static bool started, lists;

static void give_up(const char *what)
{
    fprintf(stderr, "too many %s\n", what);
    exit(1);
}

static struct line *find(uint64_t address, bool is_code)
{
    uint64_t key = address / LINE * 2 + is_code;
    struct line *line;
    for (;; key++) {
        line = &lines[key * 0x9E3779B97F4A7C15 >> 42];
        if (!line->used)
            break;
        if (line->address == address && line->is_code == is_code)
            return line;
    }
    if (++line_count > LINES / 2)
        give_up("lines");
    line->used = true;
    line->address = address;
    line->is_code = is_code;
    line->last_record = UINT32_MAX;
    return line;
}

static void touch(uint64_t address, size_t size, bool is_code, bool is_write, const char *symbol)
{
    while (size > 0) {
        uint64_t offset = address % LINE, here = LINE - offset < size ? LINE - offset : size;
        struct line *line = find(address - offset, is_code);
        if (line->last_record == UINT32_MAX || line->last_record < first_record[evaluation]) {
            if (record_count == RECORDS)
                give_up("records");
            line->last_record = record_count;
            records[record_count++].line = line;
        }
        uint64_t mask = (here == LINE ? ~0ULL : (1ULL << here) - 1) << offset;
        records[line->last_record].bytes[is_write] |= mask;
        line->is_written |= is_write;
        if (!line->symbol)
            line->symbol = symbol;
        address += here;
        size -= here;
    }
}

static void executed(unsigned cpu, void *data)
{
    (void)cpu;
    const struct code *code = data;
    if (started) {
        instructions[evaluation]++;
        touch(code->address, code->size, true, false, code->symbol);
    }
}

static void accessed(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)data;
    if (started)
        touch(address, 1ULL << qemu_plugin_mem_size_shift(info), false,
              qemu_plugin_mem_is_store(info), NULL);
}

static void accessed_by_caller(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)info;
    (void)data;
    started = true;
    find(address / LINE * LINE, false)->is_callers = true;
}

static void accessed_at_end(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)info;
    const struct code *code = data;
    program = code->address;
    if (instructions[evaluation] == 0)
        return;
    stack = address;
    if (++evaluation == EVALUATIONS)
        give_up("evaluations");
    first_record[evaluation] = record_count;
}

static void translated(plugin_id id, struct block *block)
{
    (void)id;
    for (size_t number = 0; number < qemu_plugin_tb_n_insns(block); number++) {
        struct instruction *instruction = qemu_plugin_tb_get_insn(block, number);
        const char *symbol = qemu_plugin_insn_symbol(instruction);
        struct code *code = malloc(sizeof *code);
        *code = (struct code){qemu_plugin_insn_vaddr(instruction),
                              qemu_plugin_insn_size(instruction), symbol};
        access_callback access = accessed;
        if (symbol && strcmp(symbol, "caller_owns") == 0)
            access = accessed_by_caller;
        else if (symbol && strcmp(symbol, "evaluation_ends") == 0)
            access = accessed_at_end;
        else
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed, NO_REGISTERS, code);
        qemu_plugin_register_vcpu_mem_cb(instruction, access, NO_REGISTERS, READS_AND_WRITES, code);
    }
}

static bool is_near(uint64_t address, uint64_t place, uint64_t distance)
{
    return address + distance - place < 2 * distance;
}

// What a line is; ALL stands for the caller's.
static enum kind kind(const struct line *line)
{
    if (line->is_code)
        return CODE;
    if (is_near(line->address, stack, NEAR_STACK))
        return STACK;
    if (line->is_callers)
        return ALL;
    if (line->is_written)
        return EVALUATOR;
    return is_near(line->address, program, NEAR_CODE) ? CONSTANTS : WEIGHTS;
}

// What all evaluations touch of a kind, and how many lines each touches.
struct sum {
    double lines, bytes, in_a_row;
    uint32_t of_each[EVALUATIONS];
};

static void add(struct sum *sum, uint32_t evaluation, uint64_t mask, bool is_new)
{
    sum->lines++;
    sum->bytes += __builtin_popcountll(mask);
    sum->in_a_row += is_new;
    sum->of_each[evaluation]++;
}

static int compare(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void list(uint32_t count)
{
    for (struct line *line = lines; line < lines + LINES; line++) {
        if (line->evaluations == 0)
            continue;
        double touched = line->evaluations;
        fprintf(stderr, "%-9s %12" PRIx64 " %5.1f %% %4.0f %4.0f  %s\n", NAMES[kind(line)],
                line->address, 100 * touched / count, line->bytes[0] / touched,
                line->bytes[1] / touched, line->symbol ? line->symbol : "");
    }
}

static void end(plugin_id id, void *data)
{
    static struct sum sums[KINDS];
    double executions = 0;
    (void)id;
    (void)data;
    // The first evaluation has the start of the evaluator too, and the last row must be whole.
    uint32_t count = evaluation == 0 ? 0 : (evaluation - 1) / IN_A_ROW * IN_A_ROW;
    for (uint32_t number = 0; number < count; number++) {
        uint32_t row = number / IN_A_ROW + 1;
        executions += instructions[number + 1];
        for (uint32_t at = first_record[number + 1]; at < first_record[number + 2]; at++) {
            struct line *line = records[at].line;
            uint64_t read = records[at].bytes[0], written = records[at].bytes[1];
            enum kind of = kind(line);
            if (of == ALL)
                continue;
            add(&sums[of], number, read | written, line->last_row[0] != row);
            add(&sums[ALL], number, read | written, line->last_row[0] != row);
            line->last_row[0] = row;
            if (of == EVALUATOR && written != 0) {
                add(&sums[WRITTEN], number, written, line->last_row[1] != row);
                line->last_row[1] = row;
            }
            line->evaluations++;
            line->bytes[0] += __builtin_popcountll(read);
            line->bytes[1] += __builtin_popcountll(written);
        }
    }
    if (lists)
        list(count);
    fprintf(stderr, "%" PRIu32 " evaluations of %.0f instructions\n", count, executions / count);
    fprintf(stderr, "%-10s %8s %8s %8s %14s\n", "", "lines", "median", "bytes", "lines of 100");
    for (int kind = 0; kind < KINDS; kind++) {
        struct sum *sum = &sums[kind];
        qsort(sum->of_each, count, sizeof *sum->of_each, compare);
        fprintf(stderr, "%-10s %8.1f %8" PRIu32 " %8.0f %14.0f\n", NAMES[kind],
                sum->lines / count, sum->of_each[count / 2], sum->bytes / count,
                sum->in_a_row * IN_A_ROW / count);
    }
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info;
    lists = argc == 1 && strcmp(argv[0], "list=on") == 0;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, end, NULL);
    return 0;
}
