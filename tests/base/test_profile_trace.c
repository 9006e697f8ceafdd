// profile.h, WriteTrace: what it writes is JSON, holds every zone in order, and escapes what must be escaped.
#include "testing.h"

#include <inttypes.h>

#include "graze/graze.h"

// ---- Help ----

typedef struct Text {
    char* bytes;
    size_t size, limit; // refuses what would go beyond `limit`
} Text;

static bool collect(void* context, const void* bytes, size_t size) {
    Text* text = context;
    if (size > text->limit - text->size)
        return false;
    text->bytes = realloc(text->bytes, text->size + size + 1);
    assert_non_null(text->bytes);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = 0;
    return true;
}

static Text traceOf(grzProfile* profile) {
    Text text = {.limit = SIZE_MAX};
    assert_true(grzResult_IsOk(grzProfile_WriteTrace(profile, collect, &text)));
    assert_non_null(text.bytes);
    return text;
}

static uint64_t readFakeClock(void* context) {
    return *(const uint64_t*)context;
}

static grzProfile* make(uint64_t* now, uint32_t workerCount, uint32_t zoneCapacity, uint32_t stepCapacity) {
    grzProfileDef def = grzDefaultProfileDef();
    def.workerCount = workerCount;
    def.zoneCapacity = zoneCapacity;
    def.stepCapacity = stepCapacity;
    def.clock = readFakeClock;
    def.clockContext = now;
    grzProfile* profile = NULL;
    assert_true(grzResult_IsOk(grzProfile_Create(&def, &profile)));
    return profile;
}

static void runZone(grzProfile* profile, uint64_t* now, const char* name, uint32_t worker, uint64_t length) {
    grzZone zone;
    grzProfile_BeginZone(profile, grz_stageMid, name, worker, &zone);
    *now += length;
    grzProfile_EndZone(&zone);
}

static uint64_t nextRandom(uint64_t* state) {
    *state += 0x9E3779B97F4A7C15u; // splitmix64
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// ---- A JSON reader that only says yes or no [RFC 8259]: each function gives the end of what it read, or NULL ----

static const char* readValue(const char* p);

static const char* skipSpace(const char* p) {
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
        ++p;
    return p;
}

static const char* readString(const char* p) {
    if (*p++ != '"')
        return NULL;
    for (; *p != '"'; ++p) {
        if ((unsigned char)*p < 0x20)
            return NULL;
        if (*p != '\\')
            continue;
        ++p;
        if (*p == 'u') {
            if (strspn(p + 1, "0123456789abcdefABCDEF") < 4)
                return NULL;
            p += 4;
        } else if (*p == 0 || strchr("\"\\/bfnrt", *p) == NULL) {
            return NULL;
        }
    }
    return p + 1;
}

static const char* readNumber(const char* p) {
    size_t whole = strspn(p, "0123456789");
    if (whole == 0 || (whole > 1 && *p == '0'))
        return NULL;
    p += whole;
    if (*p == '.') {
        size_t fraction = strspn(p + 1, "0123456789");
        return fraction > 0 ? p + 1 + fraction : NULL;
    }
    return p;
}

// The inside of an object or an array.
static const char* readMembers(const char* p, bool isObject, char closing) {
    p = skipSpace(p);
    if (*p == closing)
        return p + 1;
    for (;;) {
        if (isObject) {
            p = readString(skipSpace(p));
            if (p == NULL || *(p = skipSpace(p)) != ':')
                return NULL;
            ++p;
        }
        p = readValue(p);
        if (p == NULL)
            return NULL;
        p = skipSpace(p);
        if (*p == closing)
            return p + 1;
        if (*p++ != ',')
            return NULL;
    }
}

static const char* readValue(const char* p) {
    p = skipSpace(p);
    if (*p == '{')
        return readMembers(p + 1, true, '}');
    if (*p == '[')
        return readMembers(p + 1, false, ']');
    return *p == '"' ? readString(p) : readNumber(p);
}

static bool isJson(const char* text) {
    const char* end = readValue(text);
    return end != NULL && *skipSpace(end) == 0;
}

static void theReaderKnowsJson(void** state) {
    (void)state;
    const char* good[] = {"{}", " [1, 2.50, \"a\\u00e9\\n\"] ", "{\"a\":[{}],\"b\":0}", "[0.0]"};
    const char* bad[] = {"",     "{",          "[1,]",      "{\"a\" 1}",   "{,}",  "[01]",
                         "[1.]", "[\"\x01\"]", "[\"\\x\"]", "[\"\\u12\"]", "[] []"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i)
        assert_true(isJson(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        assert_false(isJson(bad[i]));
}

// ---- Tests ----

static void aSmallTraceIsAsWritten(void** state) {
    (void)state;
    uint64_t now = 500;
    grzProfile* profile = make(&now, 2, 8, 4);
    grzCounter pairs;
    assert_true(grzResult_IsOk(grzProfile_RegisterCounter(profile, "pairs", &pairs)));
    grzProfile_BeginStep(profile);
    grzZone outer;
    now += 1001;
    grzProfile_BeginZone(profile, grz_stageNarrow, "outer", 1, &outer);
    grzProfile_GiveReason(&outer, "it \"pays\"");
    grzProfile_GiveReason(NULL, "nothing is open");
    runZone(profile, &now, "first", 1, 7);
    runZone(profile, &now, "second", 1, 1234567);
    grzProfile_EndZone(&outer);
    runZone(profile, &now, "other", 0, 0);
    grzProfile_Count(profile, 0, pairs, 40);
    grzProfile_Count(profile, 1, pairs, 2);
    grzProfile_EndStep(profile);
    Text text = traceOf(profile);
    assert_string_equal(
        text.bytes,
        "{\"traceEvents\":[\n"
        "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"graze\"}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"steps\"}},\n"
        "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"sort_index\":1}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"worker 0\"}},\n"
        "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":2,\"args\":{\"sort_index\":2}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":3,\"args\":{\"name\":\"worker 1\"}},\n"
        "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":3,\"args\":{\"sort_index\":3}},\n"
        "{\"name\":\"step\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"cat\":\"step\",\"ts\":0.000,\"dur\":1235.575,"
        "\"args\":{\"step\":0}},\n"
        "{\"name\":\"pairs\",\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":0.000,\"args\":{\"value\":42}},\n"
        "{\"name\":\"other\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"cat\":\"mid\",\"ts\":1235.575,\"dur\":0.000},\n"
        "{\"name\":\"outer\",\"ph\":\"X\",\"pid\":1,\"tid\":3,\"cat\":\"narrow\",\"ts\":1.001,\"dur\":1234.574,"
        "\"args\":{\"reason\":\"it \\\"pays\\\"\"}},\n"
        "{\"name\":\"first\",\"ph\":\"X\",\"pid\":1,\"tid\":3,\"cat\":\"mid\",\"ts\":1.001,\"dur\":0.007},\n"
        "{\"name\":\"second\",\"ph\":\"X\",\"pid\":1,\"tid\":3,\"cat\":\"mid\",\"ts\":1.008,\"dur\":1234.567}\n"
        "],\"displayTimeUnit\":\"ns\",\"otherData\":{\"overwrittenZones\":0,\"overwrittenSteps\":0,"
        "\"clock\":\"nanoseconds\"}}\n");
    assert_true(isJson(text.bytes));
    free(text.bytes);
    grzProfile_Destroy(profile);
}

static void namesAreEscaped(void** state) {
    (void)state;
    const struct {
        const char *name, *written;
    } cases[] = {
        {"a\"b\\c/d", "a\\\"b\\\\c/d"},
        {"line\nbreak\ttab\x01\x7f", "line\\u000abreak\\u0009tab\\u0001\\u007f"},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"lone \x80 cut \xe2\x82", "lone \\ufffd cut \\ufffd\\ufffd"},
        {"overlong \xc0\xaf \xe0\x80\xaf", "overlong \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd"},
        {"surrogate \xed\xa0\x80", "surrogate \\ufffd\\ufffd\\ufffd"},
        {"beyond \xf4\x90\x80\x80 \xff", "beyond \\ufffd\\ufffd\\ufffd\\ufffd \\ufffd"},
        {"last \xf4\x8f\xbf\xbf", "last \xf4\x8f\xbf\xbf"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint64_t now = 0;
        grzProfile* profile = make(&now, 1, 8, 4);
        grzCounter counter;
        assert_true(grzResult_IsOk(grzProfile_RegisterCounter(profile, cases[i].name, &counter)));
        grzProfile_BeginStep(profile);
        runZone(profile, &now, cases[i].name, 0, 1);
        grzProfile_EndStep(profile);
        Text text = traceOf(profile);
        assert_true(isJson(text.bytes));
        char expected[128];
        snprintf(expected, sizeof expected, "{\"name\":\"%s\",\"ph\":\"X\"", cases[i].written);
        assert_non_null(strstr(text.bytes, expected));
        snprintf(expected, sizeof expected, "{\"name\":\"%s\",\"ph\":\"C\"", cases[i].written);
        assert_non_null(strstr(text.bytes, expected));
        free(text.bytes);
        grzProfile_Destroy(profile);
    }
}

// What the test knows of a zone, in the order of the begins.
typedef struct Expected {
    uint64_t begin, end;
    uint32_t worker;
    char name[16];
} Expected;

enum { randomZones = 400, randomWorkers = 3 };

// Opens and closes zones at random on all workers; times often stand still, so that only the order can tell which
// zone is the outer one. Fills zones[] in the order of their begins.
static void writeRandomZones(grzProfile* profile, uint64_t* now, uint64_t* random, Expected* zones) {
    grzZone open[randomWorkers][randomZones];
    uint32_t indices[randomWorkers][randomZones], depths[randomWorkers] = {0}, count = 0, openCount = 0;
    while (count < randomZones || openCount > 0) {
        uint32_t w = (uint32_t)(nextRandom(random) % randomWorkers);
        *now += nextRandom(random) % 3 == 0 ? nextRandom(random) % 2000 : 0;
        if (count < randomZones && (depths[w] == 0 || nextRandom(random) % 2 == 0)) {
            Expected* zone = &zones[count];
            snprintf(zone->name, sizeof zone->name, "z%" PRIu32, count);
            zone->begin = *now;
            zone->worker = w;
            indices[w][depths[w]] = count++;
            grzProfile_BeginZone(profile, grz_stageMid, zone->name, w, &open[w][depths[w]++]);
            openCount++;
        } else if (depths[w] > 0) {
            grzProfile_EndZone(&open[w][--depths[w]]);
            zones[indices[w][depths[w]]].end = *now;
            openCount--;
        }
    }
}

// The next line of a zone from p on; NULL after the last.
static const char* findZone(const char* p, Expected* zone) {
    for (p = strstr(p, "\n{"); p != NULL; p = strstr(p + 1, "\n{")) {
        uint64_t ts, dur;
        unsigned tsPart, durPart, tid;
        if (sscanf(p,
                   "\n{\"name\":\"%15[^\"]\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"cat\":\"mid\",\"ts\":%" SCNu64
                   ".%3u,\"dur\":%" SCNu64 ".%3u}",
                   zone->name, &tid, &ts, &tsPart, &dur, &durPart) != 6)
            continue;
        zone->worker = tid - 2;
        zone->begin = ts * 1000 + tsPart;
        zone->end = zone->begin + dur * 1000 + durPart;
        return p + 1;
    }
    return NULL;
}

static void randomZonesComeInOrderOfTheirBegins(void** state) {
    (void)state;
    uint64_t random = testSeed(5);
    static Expected zones[randomZones];
    for (int round = 0; round < 50; ++round) {
        uint64_t now = 0;
        grzProfile* profile = make(&now, randomWorkers, 512, 4);
        writeRandomZones(profile, &now, &random, zones);
        Text text = traceOf(profile);
        assert_true(isJson(text.bytes));
        const char* p = text.bytes;
        Expected found;
        for (uint32_t w = 0; w < randomWorkers; ++w) {
            for (uint32_t i = 0; i < randomZones; ++i) {
                if (zones[i].worker != w)
                    continue;
                p = findZone(p, &found);
                assert_non_null(p);
                assert_string_equal(found.name, zones[i].name);
                assert_int_equal(found.worker, w);
                assert_int_equal(found.begin, zones[i].begin);
                assert_int_equal(found.end, zones[i].end);
            }
        }
        assert_null(findZone(p, &found));
        free(text.bytes);
        grzProfile_Destroy(profile);
    }
}

// After wrapping, a ring holds zones whose parents it has and whose children it has lost, and the reverse.
static void wrappedRingsKeepTheOrder(void** state) {
    (void)state;
    uint64_t random = testSeed(6);
    static Expected zones[randomZones];
    for (int round = 0; round < 50; ++round) {
        uint64_t now = 0;
        grzProfile* profile = make(&now, randomWorkers, 32, 4);
        writeRandomZones(profile, &now, &random, zones);
        Text text = traceOf(profile);
        assert_true(isJson(text.bytes));
        const char* p = text.bytes;
        Expected found;
        long last = -1;
        uint32_t worker = 0, count = 0;
        for (; (p = findZone(p, &found)) != NULL; ++count) {
            long index = strtol(found.name + 1, NULL, 10);
            assert_true(found.worker >= worker);
            last = found.worker == worker ? last : -1;
            worker = found.worker;
            assert_true(index > last);
            last = index;
        }
        assert_int_equal(count, 32 * randomWorkers);
        char totals[64];
        snprintf(totals, sizeof totals, "\"overwrittenZones\":%d,", randomZones - 32 * randomWorkers);
        assert_non_null(strstr(text.bytes, totals));
        free(text.bytes);
        grzProfile_Destroy(profile);
    }
}

static void onlyTheNewestStepsAreHeld(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfile* profile = make(&now, 1, 8, 2);
    grzCounter counter;
    assert_true(grzResult_IsOk(grzProfile_RegisterCounter(profile, "work", &counter)));
    for (uint64_t step = 0; step < 5; ++step) {
        grzProfile_BeginStep(profile);
        grzProfile_Count(profile, 0, counter, 100 + step);
        now += 10;
        grzProfile_EndStep(profile);
        if (step == 3) // a late one has counted nothing in the steps before
            assert_true(grzResult_IsOk(grzProfile_RegisterCounter(profile, "late", &counter)));
    }
    Text text = traceOf(profile);
    const char* third = strstr(text.bytes, "\"ts\":0.030,\"dur\":0.010,\"args\":{\"step\":3}}");
    const char* fourth = strstr(text.bytes, "\"ts\":0.040,\"dur\":0.010,\"args\":{\"step\":4}}");
    assert_true(third != NULL && fourth != NULL && third < fourth);
    const char* thirdCount =
        strstr(third, "{\"name\":\"work\",\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":0.030,\"args\":{\"value\":103}}");
    assert_true(thirdCount != NULL && thirdCount < fourth);
    assert_non_null(
        strstr(third, "\"late\",\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":0.030,\"args\":{\"value\":0}}"));
    assert_non_null(
        strstr(fourth, "\"late\",\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":0.040,\"args\":{\"value\":104}}"));
    assert_null(strstr(text.bytes, "\"step\":2}"));
    assert_non_null(strstr(text.bytes, "\"overwrittenSteps\":3,"));
    free(text.bytes);
    grzProfile_Destroy(profile);
}

static void refusedWritesAreReported(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfile* profile = make(&now, 1, 256, 4);
    for (int i = 0; i < 200; ++i)
        runZone(profile, &now, "zone", 0, 1);
    Text whole = traceOf(profile);
    for (size_t limit = 0; limit < whole.size; limit += 501) {
        Text text = {.limit = limit};
        assert_int_equal(grzProfile_WriteTrace(profile, collect, &text).status, grz_ioFailed);
        assert_true(text.size <= limit);
        if (text.size > 0)
            assert_memory_equal(text.bytes, whole.bytes, text.size);
        free(text.bytes);
    }
    Text again = traceOf(profile);
    assert_string_equal(again.bytes, whole.bytes);
    free(again.bytes);
    free(whole.bytes);
    grzProfile_BeginStep(profile);
    Text text = {.limit = SIZE_MAX};
    assert_int_equal(grzProfile_WriteTrace(profile, collect, &text).value, 1);
    grzProfile_EndStep(profile);
    assert_int_equal(grzProfile_WriteTrace(profile, NULL, NULL).value, 2);
    assert_int_equal(grzProfile_WriteTrace(NULL, collect, &text).value, 1);
    assert_int_equal(text.size, 0);
    grzProfile_Destroy(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theReaderKnowsJson),       cmocka_unit_test(aSmallTraceIsAsWritten),
        cmocka_unit_test(namesAreEscaped),          cmocka_unit_test(randomZonesComeInOrderOfTheirBegins),
        cmocka_unit_test(wrappedRingsKeepTheOrder), cmocka_unit_test(onlyTheNewestStepsAreHeld),
        cmocka_unit_test(refusedWritesAreReported),
    };
    return cmocka_run_group_tests_name("profile_trace", tests, NULL, NULL);
}
