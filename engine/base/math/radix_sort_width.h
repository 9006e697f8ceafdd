// What: the text of radix_sort.c for one width of key. Included once a width, with three names defined:
//   KEY    the key's type      WIDE(name)   name with the width's suffix      ENTRY   the public function
// No guard: it is meant to be included twice. Two widths from one text cannot drift apart.

enum { WIDE(digitCount) = sizeof(KEY) };

typedef struct WIDE(Histograms) {
    size_t counts[WIDE(digitCount)][BUCKET_COUNT];
} WIDE(Histograms);

static void WIDE(sortByInsertion)(KEY* keys, uint32_t* values, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const KEY key = keys[i];
        const uint32_t value = values != NULL ? values[i] : 0;
        size_t place = i;
        for (; place > 0 && keys[place - 1] > key; --place) {
            keys[place] = keys[place - 1];
            if (values != NULL)
                values[place] = values[place - 1];
        }
        keys[place] = key;
        if (values != NULL)
            values[place] = value;
    }
}

// Counts the bytes of all places in one read of the keys: the passes only reorder, so the counts stay true.
static void WIDE(countDigits)(const KEY* keys, size_t count, WIDE(Histograms) * histograms) {
    memset(histograms, 0, sizeof *histograms);
    for (size_t i = 0; i < count; ++i) {
        const KEY key = keys[i];
        for (unsigned digit = 0; digit < WIDE(digitCount); ++digit)
            histograms->counts[digit][(key >> (digit * BITS)) & MASK]++;
    }
}

// One stable pass by the byte at `shift`. `places` holds, for each byte, where its next element goes.
static void WIDE(scatter)(const KEY* keys, const uint32_t* values, KEY* sortedKeys, uint32_t* sortedValues,
                          size_t count, unsigned shift, size_t* places) {
    if (values == NULL) {
        for (size_t i = 0; i < count; ++i)
            sortedKeys[places[(keys[i] >> shift) & MASK]++] = keys[i];
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t place = places[(keys[i] >> shift) & MASK]++;
        sortedKeys[place] = keys[i];
        sortedValues[place] = values[i];
    }
}

void ENTRY(KEY* keys, uint32_t* values, KEY* scratchKeys, uint32_t* scratchValues, size_t count) {
    if (count <= INSERTION_LIMIT) {
        WIDE(sortByInsertion)(keys, values, count);
        return;
    }
    WIDE(Histograms) histograms;
    WIDE(countDigits)(keys, count, &histograms);
    KEY* fromKeys = keys;
    KEY* toKeys = scratchKeys;
    uint32_t* fromValues = values;
    uint32_t* toValues = values != NULL ? scratchValues : NULL;
    for (unsigned digit = 0; digit < WIDE(digitCount); ++digit) {
        size_t* counts = histograms.counts[digit];
        if (counts[(keys[0] >> (digit * BITS)) & MASK] == count)
            continue; // the same byte in all keys: whichever key lies first now, its byte is that one
        sumBefore(counts);
        WIDE(scatter)(fromKeys, fromValues, toKeys, toValues, count, digit * BITS, counts);
        KEY* const otherKeys = fromKeys;
        uint32_t* const otherValues = fromValues;
        fromKeys = toKeys, toKeys = otherKeys;
        fromValues = toValues, toValues = otherValues;
    }
    if (fromKeys == keys)
        return;
    memcpy(keys, fromKeys, count * sizeof *keys);
    if (values != NULL)
        memcpy(values, fromValues, count * sizeof *values);
}
