// What: the parts of file_testing.h that deal with folders and with the data folder.
#define _POSIX_C_SOURCE 200809L

#include "file_testing.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <unistd.h>

TestFolder makeFolder(void) {
    TestFolder folder;
    const char* base = getenv("TMPDIR");
    snprintf(folder.path, sizeof folder.path, "%s/graze-test-XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(folder.path) == NULL)
        fail_msg("%s cannot be made: %s (TMPDIR says where)", folder.path, strerror(errno));
    return folder;
}

TestPath pathIn(const TestFolder* folder, const char* name) {
    TestPath path;
    int length = snprintf(path.text, sizeof path.text, "%s/%s", folder->path, name);
    assert_true(length > 0 && (size_t)length < sizeof path.text);
    return path;
}

void writeBytes(const char* path, const void* bytes, size_t size) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static size_t visitFiles(const TestFolder* folder, bool isRemoving) {
    DIR* directory = opendir(folder->path);
    assert_non_null(directory);
    size_t count = 0;
    for (struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (isRemoving) {
            TestPath path = pathIn(folder, entry->d_name);
            assert_int_equal(remove(path.text), 0);
        }
    }
    closedir(directory);
    return count;
}

size_t countFiles(const TestFolder* folder) {
    return visitFiles(folder, false);
}

void removeFolder(const TestFolder* folder) {
    visitFiles(folder, true);
    assert_int_equal(rmdir(folder->path), 0);
}

void testEachDataFile(const char* pattern, void (*check)(const char* path)) {
    const char* data = getenv("GRAZE_DATA");
    if (data == NULL) {
        print_message("GRAZE_DATA is not set\n");
        skip();
    }
    TestPath path;
    const int length = snprintf(path.text, sizeof path.text, "%s/%s", data, pattern);
    assert_true(length > 0 && (size_t)length < sizeof path.text);
    glob_t found;
    assert_int_equal(glob(path.text, 0, NULL, &found), 0);
    for (size_t file = 0; file < found.gl_pathc; ++file)
        check(found.gl_pathv[file]);
    globfree(&found);
}
