// What: the update of a table of pairs, and how it is taken back.
// Promise: an update does all of its work or none. What it does depends on the updates alone, not on the number of workers.
// Idea: pairs that were listed last are a sorted array; pairs that rest hang in lists, one for each object. An object that moved has
//   no resting pairs. So the pairs that an update can end are the listed ones, and those of the lists of its movers, which are few:
//
//     listed last (sorted)  +  lists of the movers (sorted)  ->  old
//     old  beside  pairs of now (sorted)                     ->  both: the row stays      in blocks, in parallel: rows and counts
//                                                                only new: begins         then the blocks with changes, in turn
//                                                                only old: ends, if one of the two moved; else rests
//
//   Two frames hold the listed pairs of this update and of the last one, so that an update can be taken back: what it changed
//   besides its own frame are rows and lists, and the frame tells which.
//   A pair that begins takes a free row in the 192 rows around its predecessor's, so that a loop over pairs streams over rows.
// Threads: see graze/stage/pair_table.h.
#include <string.h>

#include "near_loop.h"
#include "pair_table_inside.h"
#include "radix_sort.h"
#include "refuse_null.h"

enum {
    matchGrain = 256, // pairs in a block
    movedFlag = 1,
    removedFlag = 2,
};

// ----------------------------------------------------------------------------------------------- lists of objects

void grzPairTableLink(grzPairTable* table, uint32_t row) {
    RestLinks* own = &table->links.data[row];
    for (uint32_t side = 0; side < 2; ++side) {
        const uint32_t link = row * 2 + side;
        uint32_t* head = &table->heads.data[objectOfLink(table, link)];
        own->next[side] = *head;
        own->last[side] = NO_LINK;
        if (*head != NO_LINK)
            table->links.data[*head / 2].last[*head & 1] = link;
        *head = link;
    }
    ++table->restingCount;
}

static void unlinkRow(grzPairTable* table, uint32_t row) {
    const RestLinks own = table->links.data[row];
    for (uint32_t side = 0; side < 2; ++side) {
        const uint32_t next = own.next[side], last = own.last[side];
        if (next != NO_LINK)
            table->links.data[next / 2].last[next & 1] = last;
        if (last != NO_LINK)
            table->links.data[last / 2].next[last & 1] = next;
        else
            table->heads.data[objectOfLink(table, row * 2 + side)] = next;
    }
    --table->restingCount;
}

static bool reserveObjects(grzPairTable* table, size_t count) {
    if (count <= table->heads.count)
        return true;
    if (!grzArray_Reserve(&table->heads, &table->allocator, count) ||
        !grzArray_Reserve(&table->flags, &table->allocator, count))
        return false;
    memset(table->heads.data + table->heads.count, 0xff, (count - table->heads.count) * sizeof(uint32_t));
    memset(table->flags.data + table->flags.count, 0, count - table->flags.count);
    table->heads.count = table->flags.count = count;
    return true;
}

static unsigned flagsOf(const grzPairTable* table, grzBodyPair pair) {
    const size_t count = table->flags.count;
    return (pair.a < count ? table->flags.data[pair.a] : 0u) | (pair.b < count ? table->flags.data[pair.b] : 0u);
}

static void setFlags(grzPairTable* table, const grzPairTableUpdate* update) {
    for (size_t i = 0; i < update->movedCount && !update->isAll; ++i)
        table->flags.data[update->moved[i]] |= movedFlag;
    for (size_t i = 0; i < update->removedCount; ++i)
        if (update->removed[i] < table->flags.count)
            table->flags.data[update->removed[i]] |= removedFlag;
}

static void clearFlags(grzPairTable* table, const grzPairTableUpdate* update) {
    for (size_t i = 0; i < update->movedCount && !update->isAll; ++i)
        table->flags.data[update->moved[i]] = 0;
    for (size_t i = 0; i < update->removedCount; ++i)
        if (update->removed[i] < table->flags.count)
            table->flags.data[update->removed[i]] = 0;
}

// --------------------------------------------------------------------------------------------- pairs that wake up

static void wakeRow(grzPairTable* table, uint32_t row) {
    table->wokenKeys.data[table->wokenKeys.count++] = keyOf(table->rowPairs.data[row]);
    table->wokenRows.data[table->wokenRows.count++] = row;
}

// The resting pairs of an object, except those that the list of the other one brings.
static void wakeObject(grzPairTable* table, uint32_t object) {
    if (object >= table->heads.count)
        return;
    for (uint32_t link = table->heads.data[object]; link != NO_LINK;) {
        const RestLinks* links = &table->links.data[link / 2];
        const uint32_t other = objectOfLink(table, link ^ 1);
        if (table->flags.data[other] == 0 || object < other)
            wakeRow(table, link / 2);
        link = links->next[link & 1];
    }
}

// Each resting pair once: from the side of its a.
static void wakeAll(grzPairTable* table) {
    for (uint32_t object = 0; object < table->heads.count; ++object)
        for (uint32_t link = table->heads.data[object]; link != NO_LINK;) {
            const RestLinks* links = &table->links.data[link / 2];
            if ((link & 1) == 0)
                wakeRow(table, link / 2);
            link = links->next[link & 1];
        }
}

// The flags say whose lists were read already: what is in both arrays counts once.
static void wakeNamed(grzPairTable* table, const grzPairTableUpdate* update) {
    enum { doneFlag = 4 };
    const uint32_t* const lists[] = {update->moved, update->removed};
    const size_t counts[] = {update->movedCount, update->removedCount};
    for (int k = 0; k < 2; ++k)
        for (size_t i = 0; i < counts[k]; ++i) {
            const uint32_t object = lists[k][i];
            if (object >= table->flags.count || (table->flags.data[object] & doneFlag) != 0)
                continue;
            table->flags.data[object] |= doneFlag;
            wakeObject(table, object);
        }
}

bool grzPairTableCollect(grzPairTable* table, const grzPairTableUpdate* update) {
    const grzAllocator* allocator = &table->allocator;
    const size_t most = table->restingCount;
    table->wokenKeys.count = table->wokenRows.count = table->sortKeys.count = table->sortRows.count = 0;
    if (most == 0)
        return true;
    if (!grzArray_Reserve(&table->wokenKeys, allocator, most) ||
        !grzArray_Reserve(&table->wokenRows, allocator, most))
        return false;
    if (update == NULL)
        wakeAll(table);
    else
        wakeNamed(table, update);
    const size_t count = table->wokenRows.count;
    if (!grzArray_Reserve(&table->sortKeys, allocator, count) ||
        !grzArray_Reserve(&table->sortRows, allocator, count))
        return false;
    if (count != 0)
        grzRadixSort64(table->wokenKeys.data, table->wokenRows.data, table->sortKeys.data, table->sortRows.data,
                       count);
    return true;
}

void grzPairTableMerge(const grzPairTable* table, grzBodyPair* pairs, uint32_t* rows) {
    const PairFrame* listed = &table->frames[table->now];
    const KeyList* woken = &table->wokenKeys;
    const size_t count = listed->pairs.count + woken->count;
    size_t i = 0, k = 0;
    while (i + k < count) {
        const size_t at = i + k;
        if (k == woken->count || (i < listed->pairs.count && keyOf(listed->pairs.data[i]) < woken->data[k])) {
            pairs[at] = listed->pairs.data[i];
            rows[at] = listed->rows.data[i++];
        } else {
            rows[at] = table->wokenRows.data[k++];
            pairs[at] = table->rowPairs.data[rows[at]];
        }
    }
}

// ------------------------------------------------------------------------------------------------------- matching

typedef struct OldPairs {
    const grzBodyPair* pairs;
    const uint32_t* rows;
    size_t count;
} OldPairs;

typedef struct Matching {
    grzPairTable* table;
    const grzPairTableUpdate* update;
    PairFrame* next;
    OldPairs old;
} Matching;

static bool makeOld(grzPairTable* table, OldPairs* old) {
    const PairFrame* listed = &table->frames[table->now];
    *old = (OldPairs){listed->pairs.data, listed->rows.data, listed->pairs.count};
    if (table->wokenRows.count == 0)
        return true;
    table->oldPairs.count = table->oldRows.count = 0;
    const size_t count = listed->pairs.count + table->wokenRows.count;
    if (!grzArray_Reserve(&table->oldPairs, &table->allocator, count) ||
        !grzArray_Reserve(&table->oldRows, &table->allocator, count))
        return false;
    grzPairTableMerge(table, table->oldPairs.data, table->oldRows.data);
    *old = (OldPairs){table->oldPairs.data, table->oldRows.data, count};
    return true;
}

// Behind the last pair: above all keys, as no pair has a == b.
static uint64_t keyAt(const grzBodyPair* pairs, size_t place, size_t end) {
    return place < end ? keyOf(pairs[place]) : UINT64_MAX;
}

static void noteLeft(MatchBlock* block, size_t place, size_t old) {
    if (block->left++ == 0)
        block->leftPlace = place, block->leftOld = old;
}

// The rows of pairs that were there before; which begin; how many old ones are left, and where the first of these is.
static void matchBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Matching* m = context;
    const grzPairTable* table = m->table;
    const grzBodyPair *pairs = m->update->pairs, *olds = m->old.pairs;
    const bool hasRemoved = m->update->removedCount != 0, isAll = m->update->isAll;
    const size_t oldCount = m->old.count;
    uint32_t *rows = m->next->rows.data, *begun = m->next->begun.data + begin;
    MatchBlock block = {.bad = SIZE_MAX};
    (void)worker;
    block.oldBegin = begin == 0 ? 0 : firstNotBelow(olds, oldCount, keyOf(pairs[begin]));
    block.oldEnd = end == m->update->pairCount ? oldCount : firstNotBelow(olds, oldCount, keyOf(pairs[end]));
    uint64_t last = begin == 0 ? 0 : keyOf(pairs[begin - 1]); // a key is never 0
    size_t old = block.oldBegin;
    const size_t oldEnd = block.oldEnd;
    uint64_t oldKey = keyAt(olds, old, oldEnd);
    for (uint32_t i = begin; i < end; ++i) {
        const uint64_t key = keyOf(pairs[i]);
        bool isBad = key <= last || pairs[i].a >= pairs[i].b;
        for (; oldKey < key; oldKey = keyAt(olds, ++old, oldEnd))
            noteLeft(&block, i, old);
        bool isThere = oldKey == key && old < oldEnd;
        if (isThere && hasRemoved && (flagsOf(table, pairs[i]) & removedFlag) != 0) {
            noteLeft(&block, i, old);
            oldKey = keyAt(olds, ++old, oldEnd);
            isThere = false;
        }
        if (isThere) {
            rows[i] = m->old.rows[old];
            oldKey = keyAt(olds, ++old, oldEnd);
        } else {
            rows[i] = GRZ_NO_ROW;
            begun[block.begun++] = i;
            isBad |= !isAll && (flagsOf(table, pairs[i]) & movedFlag) == 0;
        }
        if (isBad && block.bad == SIZE_MAX)
            block.bad = i;
        block.largest = pairs[i].b > block.largest ? pairs[i].b : block.largest;
        last = key;
    }
    for (; old < oldEnd; ++old)
        noteLeft(&block, end, old);
    if (begin != end)
        memcpy(m->next->pairs.data + begin, pairs + begin, (end - begin) * sizeof *pairs);
    table->blocks.data[begin / matchGrain] = block;
}

static grzResult refusePair(const grzPairTableUpdate* update, size_t place) {
    const grzBodyPair* pairs = update->pairs;
    const bool isInOrder =
        pairs[place].a < pairs[place].b && (place == 0 || keyOf(pairs[place - 1]) < keyOf(pairs[place]));
    return grzBecause(grzFailAt(grz_badArgument, grz_partElement, place, 3),
                      isInOrder ? "this pair begins, but neither of its objects moved"
                                : "pairs must ascend by (a, b), each once and with a < b");
}

static grzResult matchPairs(Matching* m, grzTasks* tasks, MatchBlock* sum) {
    grzPairTable* table = m->table;
    const size_t count = m->update->pairCount;
    const size_t blocks = count == 0 ? 1 : (count + matchGrain - 1) / matchGrain;
    if (!grzArray_Reserve(&table->blocks, &table->allocator, blocks) ||
        !grzArray_Reserve(&m->next->pairs, &table->allocator, count) ||
        !grzArray_Reserve(&m->next->rows, &table->allocator, count) ||
        !grzArray_Reserve(&m->next->begun, &table->allocator, count))
        return pairTableNoMemory();
    table->blocks.count = blocks;
    m->next->pairs.count = m->next->rows.count = count;
    if (count == 0)
        matchBlock(0, 0, 0, m);
    else
        grzParallelForNear(tasks, (uint32_t)count, matchGrain, matchBlock, m);
    *sum = (MatchBlock){.bad = SIZE_MAX};
    for (size_t i = 0; i < blocks; ++i) {
        const MatchBlock* block = &table->blocks.data[i];
        sum->begun += block->begun;
        sum->left += block->left;
        sum->bad = block->bad < sum->bad ? block->bad : sum->bad;
        sum->largest = block->largest > sum->largest ? block->largest : sum->largest;
    }
    return sum->bad == SIZE_MAX ? grzOk() : refusePair(m->update, sum->bad);
}

// ----------------------------------------------------------------------------------------------------------- rows

static void keepRow(grzPairTable* table, size_t row) {
    table->freeRows.data[row / rowsAWord] &= ~(UINT64_C(1) << row % rowsAWord);
    --table->freeCount;
}

static uint32_t takeFrom(grzPairTable* table, size_t word) {
    const size_t row = word * rowsAWord + (size_t)__builtin_ctzll(table->freeRows.data[word]);
    keepRow(table, row);
    return (uint32_t)row;
}

// Reserved before.
static uint32_t appendRow(grzPairTable* table) {
    const size_t row = table->rowPairs.count++;
    if (row % rowsAWord == 0)
        table->freeRows.data[table->freeRows.count++] = 0;
    return (uint32_t)row;
}

// A free row, near the given one if there is one.
static uint32_t takeRow(grzPairTable* table, size_t near) {
    const size_t words = table->freeRows.count, word = near / rowsAWord;
    const bool isAtEnd = word + 1 >= words;
    if (table->freeCount == 0 || (isAtEnd && table->freeCount < table->rowPairs.count / gapEvery)) {
        table->scatteredCount += !isAtEnd;
        return appendRow(table);
    }
    const size_t around[] = {word, word + 1, word - 1}; // the last may wrap round
    for (int i = 0; i < 3; ++i)
        if (around[i] < words && table->freeRows.data[around[i]] != 0)
            return takeFrom(table, around[i]);
    while (table->freeRows.data[table->cursor] == 0)
        table->cursor = table->cursor + 1 < words ? table->cursor + 1 : 0;
    ++table->scatteredCount;
    return takeFrom(table, table->cursor);
}

bool grzPairTableReserveLinks(grzPairTable* table, size_t rows) {
    if (!grzArray_Reserve(&table->links, &table->allocator, rows))
        return false;
    table->links.count = table->links.capacity;
    return true;
}

static bool reserveChanges(const Matching* m, const MatchBlock* sum) {
    grzPairTable* table = m->table;
    PairFrame* next = m->next;
    const grzAllocator* allocator = &table->allocator;
    const size_t rows = table->rowPairs.count + sum->begun;
    if (!reserveObjects(table, m->update->pairCount != 0 ? (size_t)sum->largest + 1 : 0) ||
        !grzArray_Reserve(&next->ended, allocator, sum->left) ||
        !grzArray_Reserve(&next->woken, allocator, table->wokenRows.count) ||
        !grzArray_Reserve(&table->rowPairs, allocator, rows) ||
        !grzArray_Reserve(&table->freeRows, allocator, (rows + rowsAWord - 1) / rowsAWord))
        return false;
    return m->update->isAll || sum->left == 0 ||
           (grzArray_Reserve(&next->rested, allocator, sum->left) && grzPairTableReserveLinks(table, rows));
}

// ------------------------------------------------------------------------------------------------------- changing

static void beginPair(Matching* m, size_t place) {
    PairFrame* next = m->next;
    const uint32_t row = takeRow(m->table, place == 0 ? 0 : next->rows.data[place - 1]);
    m->table->rowPairs.data[row] = next->pairs.data[place];
    next->rows.data[place] = row;
    next->begun.data[next->begun.count++] = (uint32_t)place;
}

static void leavePair(Matching* m, size_t old) {
    PairFrame* next = m->next;
    const grzBodyPair pair = m->old.pairs[old];
    const uint32_t row = m->old.rows[old];
    if (m->update->isAll || flagsOf(m->table, pair) != 0) {
        next->ended.data[next->ended.count++] = (grzEndedPair){pair, row};
    } else {
        grzPairTableLink(m->table, row);
        next->rested.data[next->rested.count++] = row;
    }
}

// Old pairs without a new one, from the first of them to the last.
static void leavePairs(Matching* m, const MatchBlock* block) {
    size_t left = block->left, old = block->leftOld;
    const grzBodyPair* pairs = m->update->pairs;
    for (size_t i = block->leftPlace; left != 0; ++i) {
        const uint64_t key = i < m->update->pairCount ? keyOf(pairs[i]) : UINT64_MAX;
        for (; left != 0 && keyOf(m->old.pairs[old]) < key; --left)
            leavePair(m, old++);
        if (left == 0 || keyOf(m->old.pairs[old]) != key)
            continue;
        if (m->next->rows.data[i] == GRZ_NO_ROW) { // of an object that left
            leavePair(m, old);
            --left;
        }
        ++old;
    }
}

static void changeBlock(Matching* m, size_t index) {
    const MatchBlock* block = &m->table->blocks.data[index];
    leavePairs(m, block);
    for (size_t i = 0; i < block->begun; ++i)
        beginPair(m, m->next->begun.data[index * matchGrain + i]);
}

// Nothing can be refused any more.
static void change(Matching* m) {
    grzPairTable* table = m->table;
    PairFrame* next = m->next;
    const PairFrame* last = &table->frames[table->now];
    next->begun.count = next->ended.count = next->rested.count = next->woken.count = 0;
    next->rowCount = table->rowPairs.count;
    next->cursor = table->cursor;
    next->scatteredCount = table->scatteredCount;
    for (size_t i = 0; i < table->wokenRows.count; ++i) {
        unlinkRow(table, table->wokenRows.data[i]);
        next->woken.data[next->woken.count++] = table->wokenRows.data[i];
    }
    for (size_t i = 0; i < table->blocks.count; ++i)
        if (table->blocks.data[i].begun + table->blocks.data[i].left != 0)
            changeBlock(m, i);
    for (size_t i = 0; i < last->ended.count; ++i)
        giveRow(table, last->ended.data[i].row);
    table->now = 1 - table->now;
    table->canTakeBack = true;
}

static grzResult updateFlagged(grzPairTable* table, grzTasks* tasks, const grzPairTableUpdate* update) {
    Matching m = {.table = table, .update = update, .next = &table->frames[1 - table->now]};
    MatchBlock sum;
    if (!grzPairTableCollect(table, update->isAll ? NULL : update) || !makeOld(table, &m.old))
        return pairTableNoMemory();
    const grzResult result = matchPairs(&m, tasks, &sum);
    if (!grzResult_IsOk(result))
        return result;
    if (table->rowPairs.count + sum.begun > INT32_MAX)
        return grzFail(grz_tooLarge, table->rowPairs.count + sum.begun);
    if (!reserveChanges(&m, &sum))
        return pairTableNoMemory();
    change(&m);
    return grzOk();
}

// -------------------------------------------------------------------------------------------------------- inserting

grzResult grzPairTable_Reserve(grzPairTable* table, size_t pairCount, size_t objectCount) {
    GRZ_REFUSE_NULL(table, 1);
    const grzAllocator* allocator = &table->allocator;
    PairFrame* frame = &table->frames[table->now];
    const size_t listed = frame->pairs.count + pairCount, rows = table->rowPairs.count + pairCount;
    if (!reserveObjects(table, objectCount) || !grzArray_Reserve(&frame->pairs, allocator, listed) ||
        !grzArray_Reserve(&frame->rows, allocator, listed) || !grzArray_Reserve(&frame->begun, allocator, listed) ||
        !grzArray_Reserve(&table->rowPairs, allocator, rows) ||
        !grzArray_Reserve(&table->freeRows, allocator, (rows + rowsAWord - 1) / rowsAWord))
        return pairTableNoMemory();
    return grzOk();
}

// From the back, so that each pair moves once. Rows may be taken that the update has set free, so it cannot be taken
// back.
void grzPairTable_Insert(grzPairTable* table, const grzBodyPair* pairs, size_t count) {
    GRZ_RETURN_IF_NULL(table, );
    GRZ_RETURN_IF_NULL(pairs, );
    PairFrame* frame = &table->frames[table->now];
    size_t old = frame->pairs.count, begun = frame->begun.count;
    table->canTakeBack = false;
    frame->pairs.count += count;
    frame->rows.count += count;
    frame->begun.count += count;
    while (count != 0) {
        const size_t at = old + count - 1;
        const bool isOld = old != 0 && keyOf(frame->pairs.data[old - 1]) > keyOf(pairs[count - 1]);
        bool begins = !isOld;
        if (isOld) {
            --old;
            begins = begun != 0 && frame->begun.data[begun - 1] == old;
            frame->pairs.data[at] = frame->pairs.data[old];
            frame->rows.data[at] = frame->rows.data[old];
        } else {
            const grzBodyPair pair = pairs[--count];
            const uint32_t row = takeRow(table, old != 0 ? frame->rows.data[old - 1] : 0);
            table->rowPairs.data[row] = pair;
            frame->pairs.data[at] = pair;
            frame->rows.data[at] = row;
        }
        if (!begins)
            continue;
        begun -= isOld;
        frame->begun.data[begun + count] = (uint32_t)at;
    }
}

grzResult grzPairTable_Update(grzPairTable* table, grzTasks* tasks, const grzPairTableUpdate* update) {
    GRZ_REFUSE_NULL(table, 1);
    GRZ_REFUSE_NULL(update, 3);
    if (update->pairCount > INT32_MAX)
        return grzFail(grz_tooLarge, update->pairCount);
    table->canTakeBack = false; // the frame of before is written over
    size_t objects = 0;
    for (size_t i = 0; i < update->movedCount && !update->isAll; ++i)
        objects = update->moved[i] >= objects ? (size_t)update->moved[i] + 1 : objects;
    if (!reserveObjects(table, objects))
        return pairTableNoMemory();
    setFlags(table, update);
    const grzResult result = updateFlagged(table, tasks, update);
    clearFlags(table, update);
    return result;
}

bool grzPairTable_TakeBack(grzPairTable* table) {
    GRZ_RETURN_IF_NULL(table, false);
    if (!table->canTakeBack)
        return false;
    const PairFrame *undone = &table->frames[table->now], *last = &table->frames[1 - table->now];
    for (size_t i = 0; i < last->ended.count; ++i)
        keepRow(table, last->ended.data[i].row);
    for (size_t i = 0; i < undone->rested.count; ++i)
        unlinkRow(table, undone->rested.data[i]);
    for (size_t i = 0; i < undone->woken.count; ++i)
        grzPairTableLink(table, undone->woken.data[i]);
    for (size_t i = 0; i < undone->begun.count; ++i) {
        const uint32_t row = undone->rows.data[undone->begun.data[i]];
        if (row < undone->rowCount)
            giveRow(table, row);
    }
    table->rowPairs.count = undone->rowCount;
    table->freeRows.count = (undone->rowCount + rowsAWord - 1) / rowsAWord;
    table->cursor = undone->cursor;
    table->scatteredCount = undone->scatteredCount;
    table->now = 1 - table->now;
    table->canTakeBack = false;
    return true;
}
