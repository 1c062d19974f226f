// The system calls that the init makes, for x86-64 and arm64. Each returns what the kernel returns: a negative
// number is an error number.
#pragma once

#include <asm/unistd.h>

#if defined(__x86_64__)
static inline long call(long number, long a, long b, long c, long d, long e) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}
// The kernel starts the program with a stack that a function may not assume.
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n and $-16, %rsp\n call start\n");
#elif defined(__aarch64__)
static inline long call(long number, long a, long b, long c, long d, long e) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
__asm__(".globl _start\n_start:\n mov x29, xzr\n mov x30, xzr\n bl start\n");
#else
#error "the init supports x86-64 and arm64"
#endif

struct folderEntry {
  __u64 inode;
  __s64 offset;
  __u16 bytes;
  __u8 type;
  char name[];
};

#define MNT_DETACH 2
#define MODULE_INIT_COMPRESSED_FILE 4

#define CALL static inline long
CALL openIn(long folder, const char *path, int flags) { return call(__NR_openat, folder, (long)path, flags, 0, 0); }
CALL openAt(const char *path, int flags) { return openIn(AT_FDCWD, path, flags); }
CALL closeFile(long file) { return call(__NR_close, file, 0, 0, 0, 0); }
CALL readFrom(long file, void *target, unsigned long bytes) { return call(__NR_read, file, (long)target, bytes, 0, 0); }
CALL writeTo(long file, const void *from, unsigned long bytes) { return call(__NR_write, file, (long)from, bytes, 0, 0); }
CALL readFolder(long folder, void *to, unsigned long bytes) { return call(__NR_getdents64, folder, (long)to, bytes, 0, 0); }
CALL describe(long folder, const char *name, struct statx *found) {
  return call(__NR_statx, folder, (long)name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, (long)found);
}
CALL removeIn(long folder, const char *name, int flags) { return call(__NR_unlinkat, folder, (long)name, flags, 0, 0); }
CALL makeFolder(const char *path, int mode) { return call(__NR_mkdirat, AT_FDCWD, (long)path, mode, 0, 0); }
CALL mountAt(const char *from, const char *target, const char *type, unsigned long flags, const char *data) {
  return call(__NR_mount, (long)from, (long)target, (long)type, flags, (long)data);
}
CALL unmountAt(const char *target, int flags) { return call(__NR_umount2, (long)target, flags, 0, 0, 0); }
CALL changeFolder(const char *path) { return call(__NR_chdir, (long)path, 0, 0, 0, 0); }
CALL changeRoot(const char *path) { return call(__NR_chroot, (long)path, 0, 0, 0, 0); }
CALL deviceControl(long file, unsigned long command, long value) { return call(__NR_ioctl, file, command, value, 0, 0); }
CALL duplicate(long file, int target) { return call(__NR_dup3, file, target, 0, 0, 0); }
// The kernel decompresses the module and checks its signature.
CALL loadModule(long file, const char *parameters) {
  return call(__NR_finit_module, file, (long)parameters, MODULE_INIT_COMPRESSED_FILE, 0, 0);
}
// 0 in the child, which has a copy of all memory, and the number of the child in its parent.
CALL forkProcess(void) { return call(__NR_clone, 17 /* SIGCHLD */, 0, 0, 0, 0); }
CALL endProcess(int status) { return call(__NR_exit, status, 0, 0, 0, 0); }
CALL waitForProcess(long child, int *status) { return call(__NR_wait4, child, (long)status, 0, 0, 0); }
CALL renameAt(const char *from, const char *to) { return call(__NR_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0); }
CALL syncFile(long file) { return call(__NR_fsync, file, 0, 0, 0, 0); }
// Adds a key to a keyring of this process, which ends with it.
CALL addKey(const char *name, const void *content, unsigned long bytes) {
  return call(__NR_add_key, (long)"user", (long)name, (long)content, bytes, -2 /* KEY_SPEC_PROCESS_KEYRING */);
}
CALL execute(const char *path, const char *const *words, const char *const *environment) {
  return call(__NR_execve, (long)path, (long)words, (long)environment, 0, 0);
}
CALL pauseFor(const struct __kernel_timespec *time) { return call(__NR_nanosleep, (long)time, 0, 0, 0, 0); }
CALL commandMachine(unsigned command) {
  return call(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, command, 0, 0);
}

// The compiler may call these two by their standard names.
void *memset(void *target, int value, unsigned long bytes) {
  unsigned char *at = target;
  while (bytes--) *at++ = value;
  return target;
}
void *memcpy(void *target, const void *from, unsigned long bytes) {
  unsigned char *to = target;
  const unsigned char *at = from;
  while (bytes--) *to++ = *at++;
  return target;
}
#define fill memset
#define copy memcpy
