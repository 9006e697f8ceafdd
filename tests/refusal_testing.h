// Runs a script of calls with all memory, then many times with requests for memory refused, and compares the runs.
//
//   static void addAndStep(void) {
//       ... def.allocator = refusingAllocator();
//       CALL(grzWorld_AddBody(world, &def, &id), grzWorld_Validate(world));
//       noteOutcome(grzWorld_HashState(world));
//   }
//   testRefusals(&(RefusalScript){"add and step", addAndStep, 20});
//
// Requests are numbered over the whole script. The first 500, and 200 later ones that a seed chooses, are refused in four runs each:
//
//   only request k   a refused call is repeated at once
//   only request k   a refused call is skipped: the script goes on with grz_outOfMemory
//   all from k on    a refused call is repeated while there is no memory, and once more when there is
//   all from k on    refused calls are skipped; there is memory again after 1 to 8 of them
//
// A run that repeats calls must note what the run with all memory notes. A run that skips calls must note what a run with all memory
// notes in which these calls are never made. Runs are compared after each call. So a refused call changes nothing that can be read, and
// nothing that later calls depend on. From the first refusal on, the object of each call is validated. At the end of a script no memory
// may be allocated.
//
// To be quick, a run ends `patience` calls after its last refusal: all further calls are skipped, as by a host that stops.
// GRAZE_ALL_REFUSALS=1 refuses every request and runs each script to its end (script/soak-memory).
//
// A script is deterministic. After any refused call it goes on, or cleans up and returns; it destroys all that it has made. Before a
// call, what that writes to holds zeros, since the call may be skipped. If a script has workers, they may request memory at the same
// time; then request k is not the same one in each run.
#ifndef GRAZE_TESTS_REFUSAL_TESTING_H
#define GRAZE_TESTS_REFUSAL_TESTING_H

#include <string.h>

#include "graze/host.h"
#include "graze/result.h"

typedef struct RefusalScript {
    const char* name;
    void (*run)(void);
    size_t patience; // calls
} RefusalScript;

// Fails the test that calls it where a run differs.
void testRefusals(const RefusalScript* script);
// Where a run takes long: the quick form of the test tries fewer requests.
void testDearRefusals(const RefusalScript* script);

// The allocator of all objects that the script makes. Its memory is filled with garbage; what lies beside it is poisoned under
// AddressSanitizer.
grzAllocator refusingAllocator(void);

// Something that must be the same in all runs: a hash, a count.
void noteOutcome(uint64_t outcome);
void noteBytes(const void* bytes, size_t size);

// Makes a call that may be refused; the value is its result. isValid says whether the object that it changes is sound; it is evaluated
// after the call.
#define CALL(call, isValid)                                                                                        \
    ((void)(beginCall(#call) && isRepeated(call) && isRepeated(call) && isRepeated(call)),                         \
     endCall(!mustValidate() || (isValid)))

// The same for a call that writes *made: zeros if the call is skipped.
#define MAKE(made, call, isValid) (memset((made), 0, sizeof *(made)), CALL(call, isValid))

// What the macros are made of.
bool beginCall(const char* text);
bool isRepeated(grzResult result);
bool mustValidate(void);
grzResult endCall(bool isValid);

#endif
