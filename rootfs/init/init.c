// The first program of a machine: process 1 in the initramfs. It loads the kernel modules that the root
// file system needs, mounts that file system through dm-verity, makes it the root, and executes machined.
// It has no libc, so that the initramfs needs nothing else. Errors go to the kernel's log, and therefore
// to the console.

#include <linux/dm-ioctl.h>
#include <linux/fcntl.h>
#include <linux/ioctl.h>
#include <linux/loop.h>
#include <linux/mount.h>
#include <linux/reboot.h>
#include <linux/stat.h>
#include <linux/time.h>

#include "system-calls.h"

#define ROOT "/root"
#define BOOT "/boot"
#define PATH_BYTES 256

// Node.js must not be told the options of machined by an environment variable: the kernel passes unknown words of its
// command line on as variables, and anybody at the boot menu can write them.
static const char *const arguments[] = {
    "/usr/bin/node", "--max-semi-space-size=2", "--invocation-count-for-maglev=100000",
    "--invocation-count-for-turbofan=300000", "--invocation-count-for-feedback-allocation=64",
    "--disable-warning=ExperimentalWarning", "--disable-warning=SecurityWarning", "/usr/lib/nodewright/machined/machined.cjs", "--root", "/", "--mode", "metal",
    "--services-dir", "/usr/lib/nodewright", 0};
static const char *const environment[] = {"PATH=/usr/bin:/usr/local/sbin:/usr/local/bin:/opt/cni/bin", "MACHINED_ETCD_IMAGE=" ETCD_IMAGE, 0};

struct image {
  char data[PATH_BYTES], hash[PATH_BYTES];
};

static unsigned long length(const char *text) {
  unsigned long bytes = 0;
  while (text[bytes]) bytes++;
  return bytes;
}

static int begins(const char *text, const char *start) {
  while (*start)
    if (*text++ != *start++) return 0;
  return 1;
}

// Writes the parts, up to a null, one after the other. Parts that do not fit are left out.
static void join(char *target, unsigned long bytes, const char *const *parts) {
  unsigned long used = 0;
  for (; *parts; parts++)
    for (const char *from = *parts; *from && used + 1 < bytes; from++) target[used++] = *from;
  target[used] = 0;
}
#define JOIN(target, ...) join(target, sizeof(target), (const char *const[]){__VA_ARGS__, 0})

static const char *decimal(long value) {
  static char text[24]; // Valid until the next call.
  int at = sizeof(text) - 1;
  int negative = value < 0;
  unsigned long rest = negative ? -(unsigned long)value : (unsigned long)value;
  do text[--at] = '0' + rest % 10;
  while (rest /= 10);
  if (negative) text[--at] = '-';
  return text + at;
}

static const char hexDigits[] = "0123456789abcdef";
static int isHex(const char *text, unsigned long digits) {
  for (; digits--; text++)
    if (!((*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'))) return 0;
  return *text == 0;
}

static int kernelLog = -1;

// Levels are those of the kernel's log: 3 error, 4 warning, 6 information.
static void logParts(char level, const char *const *parts) {
  char body[512], line[544];
  join(body, sizeof(body), parts);
  const char number[] = {'<', level, '>', 0};
  JOIN(line, number, "[nodewright] [initramfs] ", body, "\n");
  if (kernelLog >= 0) writeTo(kernelLog, line, length(line));
}
#define SAY(...) logParts('6', (const char *const[]){__VA_ARGS__, 0})
#define WARN(...) logParts('4', (const char *const[]){__VA_ARGS__, 0})
static char commandLine[4096];

// Finds `name=` in the kernel's command line, copies the value of its last occurrence, and returns how often it is there.
static int argument(const char *name, char *value, unsigned long bytes) {
  int found = 0;
  for (const char *at = commandLine; *at;) {
    while (*at == ' ' || *at == '\n') at++;
    if (begins(at, name) && at[length(name)] == '=') {
      const char *from = at + length(name) + 1;
      unsigned long used = 0;
      while (*from && *from != ' ' && *from != '\n' && used + 1 < bytes) value[used++] = *from++;
      value[used] = 0;
      found++;
    }
    while (*at && *at != ' ' && *at != '\n') at++;
  }
  return found;
}

static void pauseMs(long ms) {
  struct __kernel_timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  pauseFor(&time);
}

// Reports the failure and restarts the machine after ten seconds; with `panic=0` it waits for its operator.
static __attribute__((noreturn)) void failParts(const char *const *parts) {
  char value[8];
  logParts('3', parts);
  int waits = argument("panic", value, sizeof(value)) && value[0] == '0' && !value[1];
  for (int left = 10; waits || left > 0; left--) {
    if (!waits) WARN("restarting in ", decimal(left), " s");
    pauseMs(1000);
  }
  for (;;) commandMachine(LINUX_REBOOT_CMD_RESTART);
}
#define FAIL(...) failParts((const char *const[]){__VA_ARGS__, 0})

struct mountRow {
  const char *target, *type, *data;
  unsigned long flags;
  int isNeeded;
};

#define SECURE (MS_NOSUID | MS_NODEV | MS_NOEXEC)

// Source: Talos v1.14: pseudo file systems.
static const struct mountRow mounts[] = {
    {"/dev", "devtmpfs", "mode=0755", MS_NOSUID, 1},
    {"/proc", "proc", 0, SECURE, 1},
    {"/sys", "sysfs", 0, SECURE, 1},
    {"/dev/shm", "tmpfs", 0, SECURE | MS_RELATIME, 1},
    {"/dev/pts", "devpts", "ptmxmode=000,mode=620,gid=5", MS_NOSUID | MS_NOEXEC, 1},
    {"/dev/hugepages", "hugetlbfs", 0, MS_NOSUID | MS_NODEV, 0},
    {"/sys/fs/bpf", "bpf", 0, SECURE | MS_RELATIME, 0},
    {"/sys/kernel/security", "securityfs", 0, SECURE | MS_RELATIME, 0},
    {"/sys/kernel/config", "configfs", 0, SECURE | MS_RELATIME, 0},
    {"/sys/kernel/debug", "debugfs", 0, SECURE | MS_RELATIME, 0},
    {"/sys/kernel/tracing", "tracefs", 0, SECURE, 0},
};

static void mountKernelFileSystems(void) {
  for (unsigned long at = 0; at < sizeof(mounts) / sizeof(*mounts); at++) {
    const struct mountRow *row = &mounts[at];
    // sysfs has the folders of what the kernel supports, and refuses new ones.
    makeFolder(row->target, 0755);
    long error = mountAt(row->type, row->target, row->type, row->flags, row->data);
    // The log is in /dev: what fails before that can only be reported by the kernel's panic.
    if (error && row->isNeeded) FAIL("cannot mount ", row->target, ": error ", decimal(-error));
    if (at == 0) kernelLog = openAt("/dev/kmsg", O_WRONLY | O_CLOEXEC);
  }
}

static long readText(const char *path, char *text, unsigned long bytes) {
  long file = openAt(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return file;
  unsigned long used = 0;
  long got = 0;
  while (used + 1 < bytes && (got = readFrom(file, text + used, bytes - 1 - used)) > 0) used += got;
  closeFile(file);
  text[used] = 0;
  return got < 0 ? got : (long)used;
}

// Loads the modules that the list names, in its order; those with a `&` in a child, while this process goes on, because they take
// long and only machined needs them. A driver for hardware that the machine lacks does no harm.
static void loadModules(void) {
  static char list[8192];
  char path[PATH_BYTES], name[PATH_BYTES];
  if (readText("/modules/order", list, sizeof(list)) < 0) FAIL("the initramfs has no list of modules");
  for (const char *at = list; *at;) {
    unsigned long used = 0;
    while (*at && *at != '\n' && used + 1 < sizeof(name)) name[used++] = *at++;
    name[used] = 0;
    while (*at && *at != '\n') at++;
    if (*at) at++;
    if (!used) continue;
    long child = name[0] == '&' ? forkProcess() : -1;
    if (child > 0) continue;
    JOIN(path, "/modules/", name + (name[0] == '&'));
    long file = openAt(path, O_RDONLY | O_CLOEXEC);
    long error = file < 0 ? file : loadModule(file);
    if (file >= 0) closeFile(file);
    if (error && error != -17 /* EEXIST */) WARN("module ", name, ": error ", decimal(-error));
    if (child == 0) endProcess();
  }
}

// Attaches a file to a free loop device, read-only, and returns the number of that device.
static long attach(const char *path) {
  struct loop_config config;
  char device[PATH_BYTES];
  fill(&config, 0, sizeof(config));
  long control = openAt("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return control;
  long file = openAt(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return file;
  long number = deviceControl(control, LOOP_CTL_GET_FREE, 0);
  if (number < 0) return number;
  JOIN(device, "/dev/loop", decimal(number));
  long loop = openAt(device, O_RDONLY | O_CLOEXEC);
  if (loop < 0) return loop;
  config.fd = file;
  // The file is on a read-only file system, and the device ends with its last user.
  config.info.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR;
  long error = deviceControl(loop, LOOP_CONFIGURE, (long)&config);
  closeFile(control);
  closeFile(file);
  // The descriptor of the loop device stays open until dm-verity uses the device.
  return error ? error : number;
}

// The superblock of dm-verity. Source: Linux, dm-verity on-disk format.
struct veritySuperblock {
  __u8 signature[8];
  __u32 version, hashType;
  __u8 uuid[16];
  char algorithm[32];
  __u32 dataBlockBytes, hashBlockBytes;
  __u64 dataBlocks;
  __u16 saltBytes;
  __u8 padding[6];
  __u8 salt[256];
};

struct dmRequest {
  struct dm_ioctl head;
  struct dm_target_spec target;
  char parameters[1024];
};

static struct dmRequest request;
static char rootDevice[PATH_BYTES];
static long deviceMapper(long control, unsigned long command, unsigned flags) {
  request.head.version[0] = DM_VERSION_MAJOR;
  request.head.data_size = sizeof(request);
  request.head.data_start = sizeof(request.head);
  request.head.flags = flags;
  copy(request.head.name, "root", 5);
  return deviceControl(control, command, (long)&request);
}

// Makes a device of the two loop devices whose every block is checked against `rootHash`. A block that does not
// match ends the machine: it must never run with half of its files.
static void openVerity(const struct image *image, const char *rootHash) {
  static struct veritySuperblock super;
  static char salt[513], data[24], hash[24], blocks[24], dataBytes[24], hashBytes[24];
  long file = openAt(image->hash, O_RDONLY | O_CLOEXEC);
  if (file < 0 || readFrom(file, &super, sizeof(super)) != sizeof(super) ||
      !begins((char *)super.signature, "verity") || super.version != 1 || super.saltBytes > sizeof(super.salt))
    FAIL(image->hash, " is not a hash tree of dm-verity");
  closeFile(file);
  for (int at = 0; at < super.saltBytes; at++) {
    salt[2 * at] = hexDigits[super.salt[at] >> 4];
    salt[2 * at + 1] = hexDigits[super.salt[at] & 15];
  }
  long dataLoop = attach(image->data), hashLoop = attach(image->hash);
  if (dataLoop < 0 || hashLoop < 0)
    FAIL("cannot attach the image: error ", decimal(-(dataLoop < 0 ? dataLoop : hashLoop)));
  JOIN(data, "/dev/loop", decimal(dataLoop));
  JOIN(hash, "/dev/loop", decimal(hashLoop));
  JOIN(blocks, decimal(super.dataBlocks));
  JOIN(dataBytes, decimal(super.dataBlockBytes));
  JOIN(hashBytes, decimal(super.hashBlockBytes));
  long control = openAt("/dev/mapper/control", O_RDWR | O_CLOEXEC);
  if (control < 0) FAIL("the kernel has no device mapper: error ", decimal(-control));
  long error = deviceMapper(control, DM_DEV_CREATE, DM_READONLY_FLAG);
  if (error) FAIL("cannot create the device of the root: error ", decimal(-error));
  JOIN(rootDevice, "/dev/dm-", decimal((request.head.dev & 0xff) | ((request.head.dev >> 12) & 0xfff00)));
  fill(&request, 0, sizeof(request));
  request.head.target_count = 1;
  request.target.length = super.dataBlocks * (super.dataBlockBytes / 512);
  copy(request.target.target_type, "verity", 7);
  // Nobody has checked the superblock yet, so it does not choose the hash: that is SHA-256, as the root hash.
  JOIN(request.parameters, "1 ", data, " ", hash, " ", dataBytes, " ", hashBytes, " ", blocks, " 1 sha256 ",
       rootHash, " ", super.saltBytes ? salt : "-", " 1 panic_on_corruption");
  error = deviceMapper(control, DM_TABLE_LOAD, DM_READONLY_FLAG);
  if (error) FAIL("the kernel refuses the hash tree of the root: error ", decimal(-error));
  fill(&request, 0, sizeof(request));
  error = deviceMapper(control, DM_DEV_SUSPEND, DM_READONLY_FLAG);
  if (error) FAIL("cannot start the device of the root: error ", decimal(-error));
  closeFile(control);
}

// Whether the partition is labelled BOOT, as the kernel reports it.
static int isBootPartition(const char *name) {
  static char event[4096];
  char path[PATH_BYTES];
  JOIN(path, "/sys/class/block/", name, "/uevent");
  if (readText(path, event, sizeof(event)) < 0) return 0;
  for (const char *at = event; *at; at++)
    if ((at == event || at[-1] == '\n') && begins(at, "PARTNAME=BOOT\n")) return 1;
  return 0;
}

// Mounts the partition and looks for the image of the slot; unmounts it if it has none.
static int openImage(const char *name, const char *slot, struct image *image, int isLastTry) {
  static const char *const types[] = {"ext4", "xfs", 0};
  char device[PATH_BYTES];
  JOIN(device, "/dev/", name);
  long error = -1;
  for (const char *const *type = types; error && *type; type++)
    error = mountAt(device, BOOT, *type, SECURE | MS_RDONLY, 0);
  if (error && isLastTry) WARN("cannot mount ", device, ": error ", decimal(-error));
  if (error) return 0;
  JOIN(image->data, BOOT "/", slot, "/rootfs.squashfs");
  JOIN(image->hash, BOOT "/", slot, "/rootfs.verity");
  long file = openAt(image->data, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    closeFile(file);
    SAY("image ", image->data, " on ", device);
    return 1;
  }
  if (isLastTry) WARN(device, " has no image in slot ", slot);
  unmountAt(BOOT, 0);
  return 0;
}

// Looks at every partition labelled BOOT ten times a second, for as long as disks may still appear.
static const int lastTry = 200;
static void findImage(struct image *image) {
  static char entries[8192];
  char slot[8] = "A";
  argument("nodewright.slot", slot, sizeof(slot));
  for (int tries = 0; tries <= lastTry; tries++) {
    long folder = openAt("/sys/class/block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long got; folder >= 0 && (got = readFolder(folder, entries, sizeof(entries))) > 0;)
      for (long at = 0; at < got; at += ((struct folderEntry *)(entries + at))->bytes) {
        const char *name = ((struct folderEntry *)(entries + at))->name;
        if (isBootPartition(name) && openImage(name, slot, image, tries == lastTry)) {
          closeFile(folder);
          return;
        }
      }
    closeFile(folder);
    pauseMs(100);
  }
  FAIL("no disk has a partition labelled BOOT with an image in slot ", slot);
}

// Removes what the initramfs holds in memory, without leaving its file system.
static void removeAll(long folder, __u64 device) {
  char entries[2048];
  for (long got; (got = readFolder(folder, entries, sizeof(entries))) > 0;)
    for (long at = 0; at < got; at += ((struct folderEntry *)(entries + at))->bytes) {
      const char *name = ((struct folderEntry *)(entries + at))->name;
      struct statx found;
      if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]))) continue;
      if (describe(folder, name, &found)) continue;
      if ((((__u64)found.stx_dev_major << 32) | found.stx_dev_minor) != device) continue;
      if (removeIn(folder, name, 0) == 0) continue;
      long child = openIn(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (child < 0) continue;
      removeAll(child, device);
      closeFile(child);
      removeIn(folder, name, AT_REMOVEDIR);
    }
}

static void switchRoot(void) {
  static const char *const moved[] = {"/dev", "/proc", "/sys", 0};
  char target[PATH_BYTES];
  struct statx old;
  long oldRoot = openAt("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (oldRoot < 0 || describe(oldRoot, ".", &old)) FAIL("cannot open the initramfs");
  for (const char *const *from = moved; *from; from++) {
    JOIN(target, ROOT, *from);
    long error = mountAt(*from, target, 0, MS_MOVE, 0);
    if (error) FAIL("cannot move ", *from, ": error ", decimal(-error));
  }
  // The loop devices keep the file system of the image in use; nobody needs its path.
  unmountAt(BOOT, MNT_DETACH);
  long error = 0;
  if ((error = changeFolder(ROOT)) || (error = mountAt(".", "/", 0, MS_MOVE, 0)) || (error = changeRoot(".")) || (error = changeFolder("/")))
    FAIL("cannot switch to the root file system: error ", decimal(-error));
  removeAll(oldRoot, ((__u64)old.stx_dev_major << 32) | old.stx_dev_minor);
  closeFile(oldRoot);
}

__attribute__((noreturn)) void start(void) {
  static struct image image;
  static char rootHash[PATH_BYTES];
  makeFolder(BOOT, 0755);
  makeFolder(ROOT, 0755);
  mountKernelFileSystems();
  readText("/proc/cmdline", commandLine, sizeof(commandLine));
  loadModules();
  // Its file system is a module. A BIOS has no variables.
  mountAt("efivarfs", "/sys/firmware/efi/efivars", "efivarfs", SECURE | MS_RDONLY | MS_RELATIME, 0);
  // A hypervisor may add words to a signed command line: a second hash would replace the signed one.
  if (argument("nodewright.roothash", rootHash, sizeof(rootHash)) != 1 || !isHex(rootHash, 64))
    FAIL("nodewright.roothash must be once on the kernel's command line, with the SHA-256 of the hash tree of the root");
  findImage(&image);
  openVerity(&image, rootHash);
  long error = mountAt(rootDevice, ROOT, "squashfs", MS_RDONLY | MS_NOSUID | MS_NODEV, 0);
  if (error) FAIL("cannot mount the root file system: error ", decimal(-error));
  SAY("switching to the root file system");
  switchRoot();
  // Standard streams of the initramfs would keep its /dev in use.
  long console = openAt("/dev/console", O_RDWR);
  for (int stream = 0; console > 2 && stream < 3; stream++) duplicate(console, stream);
  commandMachine(LINUX_REBOOT_CMD_CAD_OFF); // For Ctrl-Alt-Del machined gets SIGINT: nothing is lost.
  error = execute(arguments[0], arguments, environment);
  FAIL("cannot execute ", arguments[0], ": error ", decimal(-error));
}
