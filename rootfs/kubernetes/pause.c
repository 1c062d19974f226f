// The first process of every pod: it holds the namespaces of the pod until it is told to end, and removes processes whose
// parents have ended. It has no libc, so that its image needs nothing else.

#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/reboot.h>
#include <linux/stat.h>
#include <linux/time.h>

#include "../init/system-calls.h"

#define SIGNAL_INTERRUPT 2
#define SIGNAL_TERMINATE 15
#define SIGNAL_CHILD 17
#define BLOCK_SIGNALS 0
#define WITHOUT_WAITING 1

static const unsigned long awaited =
    1UL << (SIGNAL_INTERRUPT - 1) | 1UL << (SIGNAL_TERMINATE - 1) | 1UL << (SIGNAL_CHILD - 1);

void start(void) {
  // The kernel drops signals to the first process of a namespace unless they are blocked or handled.
  call(__NR_rt_sigprocmask, BLOCK_SIGNALS, (long)&awaited, 0, sizeof awaited, 0);
  for (;;) {
    long signal = call(__NR_rt_sigtimedwait, (long)&awaited, 0, 0, sizeof awaited, 0);
    if (signal == SIGNAL_INTERRUPT || signal == SIGNAL_TERMINATE) endProcess(0);
    while (call(__NR_wait4, -1, 0, WITHOUT_WAITING, 0, 0) > 0) continue;
  }
}
