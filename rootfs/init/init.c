// The first program of a machine: process 1 in the initramfs. It loads the kernel modules that the root
// file system needs, mounts that file system and its extensions through dm-verity, and executes machined there.
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
#include <linux/watchdog.h>

#include "system-calls.h"

#define ROOT "/root"
#define BOOT "/boot"
#define LAYERS "/layers"
#define PATH_BYTES 256
#define HASH_DIGITS 64
#define MAXIMUM_EXTENSIONS 16

// A contract with machined. When the variable MACHINED_WATCHDOG is not empty, it is the number of a descriptor of a watchdog that runs, and
// nobody else can open the device. Each byte that is written to it feeds the watchdog, which restarts the machine by its firmware WATCHDOG_SECONDS
// after the last one. The byte `V` directly before the descriptor is closed stops the watchdog, any other end of the descriptor does not.
// The number is low enough for Node.js to keep the descriptor from the programs that machined starts.
#define WATCHDOG 4
#define WATCHDOG_NUMBER "4"
#define WATCHDOG_SECONDS 60

// SIGUSR1 must not open the debugger of Node.js: every program of root can send it, also one without capabilities in a container.
// Node.js must not be told the options of machined by an environment variable: the kernel passes unknown words of its
// command line on as variables, and anybody at the boot menu can write them.
static const char *const arguments[] = {
    "/usr/bin/node", "--disable-sigusr1", "--max-semi-space-size=2", "--invocation-count-for-maglev=100000",
    "--invocation-count-for-turbofan=300000", "--invocation-count-for-feedback-allocation=64",
    "--disable-warning=ExperimentalWarning", "--disable-warning=SecurityWarning", "/usr/lib/nodewright/machined/machined.cjs", "--root", "/", "--mode", "metal",
    "--services-dir", "/usr/lib/nodewright", 0};
static char runningSet[HASH_DIGITS + 32] = "MACHINED_EXTENSION_SET=", systemDisk[PATH_BYTES], runningWatchdog[] = "MACHINED_WATCHDOG=" WATCHDOG_NUMBER;
static const char *const environment[] = {"PATH=/usr/bin:/usr/local/sbin:/usr/local/bin:/opt/cni/bin", "MACHINED_ETCD_IMAGE=" ETCD_IMAGE, "MACHINED_KUBELET=" KUBELET, runningSet, systemDisk, runningWatchdog, 0};

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
  int at = sizeof(text) - 1, negative = value < 0;
  unsigned long rest = negative ? -(unsigned long)value : (unsigned long)value;
  do text[--at] = '0' + rest % 10;
  while (rest /= 10);
  if (negative) text[--at] = '-';
  return text + at;
}

static const char hexDigits[] = "0123456789abcdef";
static int isRootHash(const char *text) {
  for (int digits = 0; digits < HASH_DIGITS; digits++, text++)
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
static char slot[8] = "A"; // The folder of the image on BOOT.

// Copies the text up to a separator or the end of the line, as far as it fits, and returns what follows.
static const char *copyPart(const char *from, char separator, char *target, unsigned long bytes) {
  unsigned long used = 0;
  for (; *from && *from != separator && *from != '\n'; from++)
    if (used + 1 < bytes) target[used++] = *from;
  target[used] = 0;
  return *from ? from + 1 : from;
}

// Finds `name=` in the kernel's command line, copies the value of its last occurrence, and returns how often it is there.
static int argument(const char *name, char *value, unsigned long bytes) {
  static char word[sizeof(commandLine)];
  int found = 0;
  for (const char *at = commandLine; *at;) {
    at = copyPart(at, ' ', word, sizeof(word));
    if (!begins(word, name) || word[length(name)] != '=') continue;
    copyPart(word + length(name) + 1, ' ', value, bytes);
    found++;
  }
  return found;
}

static void pauseMs(long ms) {
  struct __kernel_timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  pauseFor(&time);
}

// In a child that tries a set of extensions: its failure leaves the set out, and the machine goes on.
static int isTrial;

// Reports the failure and restarts the machine after ten seconds; with `panic=0` it waits for its operator.
static __attribute__((noreturn)) void failParts(const char *const *parts) {
  char value[8];
  logParts('3', parts);
  if (isTrial) endProcess(1);
  int waits = argument("panic", value, sizeof(value)) && value[0] == '0' && !value[1];
  for (int left = 10; waits || left > 0; left--) {
    if (!waits) WARN("restarting in ", decimal(left), " s");
    pauseMs(1000);
  }
  for (;;) commandMachine(LINUX_REBOOT_CMD_RESTART);
}
#define FAIL(...) failParts((const char *const[]){__VA_ARGS__, 0})

// Returns what the kernel returned, unless that is an error.
static long must(long result, const char *action, const char *object) {
  if (result < 0) FAIL("cannot ", action, " ", object, ": error ", decimal(-result));
  return result;
}

struct mountRow {
  const char *target, *type, *data;
  unsigned long flags;
  int isNeeded;
};

#define SECURE (MS_NOSUID | MS_NODEV | MS_NOEXEC)
#define READ_ONLY (MS_RDONLY | MS_NOSUID | MS_NODEV)

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

// Loads the modules that the list names, in its order; those after the line `&` in a child, while this process goes on: machined waits
// for it. All files are open by then, because the init removes them. A driver for hardware that the machine lacks does no harm.
static void loadModules(void) {
  static char list[8192], path[PATH_BYTES], names[128][64];
  static long files[sizeof(names) / sizeof(*names)];
  int all = 0, later = -1;
  long child = -1;
  if (readText("/modules/order", list, sizeof(list)) < 0) FAIL("the initramfs has no list of modules");
  for (const char *at = list; *at && all < (int)(sizeof(files) / sizeof(*files));) {
    at = copyPart(at, '\n', names[all], sizeof(names[all]));
    JOIN(path, "/modules/", names[all]);
    if (names[all][0] == '&') later = all;
    else files[all++] = openAt(path, O_RDONLY | O_CLOEXEC);
  }
  for (int at = 0; at < all; at++) {
    if (at == later && (child = forkProcess()) > 0) return;
    // Drivers of watchdogs would stop them at a restart, and at the start of another kernel by kexec, which is when a hang is likely.
    long error = files[at] < 0 ? files[at] : loadModule(files[at], begins(names[at], "watchdog.") ? "stop_on_reboot=0" : "");
    if (error && error != -17 /* EEXIST */) WARN("module ", names[at], ": error ", decimal(-error));
  }
  if (child == 0) endProcess(0);
}

// Attaches a file to a free loop device, read-only, and returns the number of that device, which ends with its last user. The
// descriptors stay open until machined is executed.
static long attach(const char *path) {
  struct loop_config config = {.info.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR};
  char device[PATH_BYTES];
  config.fd = must(openAt(path, O_RDONLY | O_CLOEXEC), "open", path);
  long control = must(openAt("/dev/loop-control", O_RDWR | O_CLOEXEC), "open", "/dev/loop-control");
  long number = must(deviceControl(control, LOOP_CTL_GET_FREE, 0), "find a loop device for", path);
  JOIN(device, "/dev/loop", decimal(number));
  long loop = must(openAt(device, O_RDONLY | O_CLOEXEC), "open", device);
  must(deviceControl(loop, LOOP_CONFIGURE, (long)&config), "attach", path);
  return number;
}

// The superblock of dm-verity. Source: Linux, dm-verity on-disk format.
struct veritySuperblock {
  __u8 signature[8];
  __u32 version, hashType;
  __u8 uuid[16], algorithm[32];
  __u32 dataBlockBytes, hashBlockBytes;
  __u64 dataBlocks;
  __u16 saltBytes;
  __u8 padding[6], salt[256];
};

struct dmRequest {
  struct dm_ioctl head;
  struct dm_target_spec target;
  char parameters[1024];
};

static struct dmRequest request;
static const char *devicePrefix = "loop"; // Of the names of devices.
static void deviceMapper(unsigned long command, const char *loop, const char *action) {
  long control = must(openAt("/dev/mapper/control", O_RDWR | O_CLOEXEC), "open", "/dev/mapper/control");
  request.head = (struct dm_ioctl){.version = {DM_VERSION_MAJOR}, .data_size = sizeof(request), .data_start = sizeof(request.head),
                                   .flags = DM_READONLY_FLAG, .target_count = 1};
  JOIN(request.head.name, devicePrefix, loop);
  must(deviceControl(control, command, (long)&request), action, request.head.name);
}

// A block of the image that does not match its root hash ends the machine when it is read: it must never run with half of its files.
#define OF_IMAGE " 1 panic_on_corruption"

// Mounts a file of the slot, whose hash tree is beside it. `options` are those of dm-verity, with their number in front.
static void mountVerified(const char *name, const char *rootHash, const char *target, const char *options) {
  static struct veritySuperblock super;
  static char data[PATH_BYTES], tree[PATH_BYTES], device[PATH_BYTES], dataLoop[24], treeLoop[24], blocks[24];
  char salt[2 * sizeof(super.salt) + 1] = "-";
  JOIN(data, BOOT "/", slot, "/", name, ".squashfs");
  JOIN(tree, BOOT "/", slot, "/", name, ".verity");
  long file = must(openAt(tree, O_RDONLY | O_CLOEXEC), "open", tree);
  if (readFrom(file, &super, sizeof(super)) != sizeof(super) || !begins((char *)super.signature, "verity") ||
      super.version != 1 || super.saltBytes > sizeof(super.salt))
    FAIL(tree, " is not a hash tree of dm-verity");
  for (int at = 0; at < super.saltBytes; at++) {
    salt[2 * at] = hexDigits[super.salt[at] >> 4];
    salt[2 * at + 1] = hexDigits[super.salt[at] & 15];
  }
  JOIN(dataLoop, decimal(attach(data)));
  JOIN(treeLoop, decimal(attach(tree)));
  // The kernel names the file of a changed block by this number only.
  SAY(data, " is block device 7:", dataLoop);
  deviceMapper(DM_DEV_CREATE, dataLoop, "create a device for");
  JOIN(device, "/dev/dm-", decimal((request.head.dev & 0xff) | ((request.head.dev >> 12) & 0xfff00)));
  JOIN(blocks, decimal(super.dataBlocks));
  request.target.length = super.dataBlocks * (4096 / 512);
  copy(request.target.target_type, "verity", 7);
  // Nobody has checked the superblock yet, so it chooses neither the hash nor the size of blocks.
  JOIN(request.parameters, "1 /dev/loop", dataLoop, " /dev/loop", treeLoop, " 4096 4096 ", blocks, " 1 sha256 ", rootHash, " ",
       salt, options);
  deviceMapper(DM_TABLE_LOAD, dataLoop, "load the hash tree of");
  deviceMapper(DM_DEV_SUSPEND, dataLoop, "start the device of");
  makeFolder(target, 0755);
  must(mountAt(device, target, "squashfs", READ_ONLY, 0), "mount", data);
}

// Reads a name of a set: its root hash, or `none`.
static int readSetName(const char *file, char *name, unsigned long bytes) {
  char path[PATH_BYTES], text[PATH_BYTES];
  JOIN(path, BOOT "/", slot, "/sets/", file);
  if (readText(path, text, sizeof(text)) < 0) return 0;
  return copyPart(text, '\n', name, bytes) != 0;
}

// Renames `next` to `tried`, so that a set is tried at one start only, whatever happens then.
static int takeNextSet(void) {
  char folder[PATH_BYTES], from[PATH_BYTES], to[PATH_BYTES];
  JOIN(folder, BOOT "/", slot, "/sets");
  JOIN(from, folder, "/next");
  JOIN(to, folder, "/tried");
  long error = mountAt(0, BOOT, 0, MS_REMOUNT | SECURE, 0);
  if (!error) error = renameAt(from, to);
  long opened = openAt(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!error) error = syncFile(opened);
  closeFile(opened);
  mountAt(0, BOOT, 0, MS_REMOUNT | SECURE | MS_RDONLY, 0);
  if (error) WARN("cannot rename ", from, ": error ", decimal(-error));
  return !error;
}

// A test compiles this program for a folder of its own.
#ifndef EFI_FOLDER
#define EFI_FOLDER "/sys/firmware/efi"
#endif
#define EFI_VARIABLES EFI_FOLDER "/efivars"
static long variablesError; // Of the mount of efivarfs.

// Whether the firmware verified the kernel: then the keys of the firmware are in a keyring, and a set needs a signature with one.
// In doubt it did: a set without a signature must not start because a variable could not be read.
static int isSecureBootOn(void) {
  char variable[16];
  long bytes = readText(EFI_VARIABLES "/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", variable, sizeof(variable));
  if (bytes >= 0) return bytes != 5 || variable[4] != 0;
  if (bytes != -2 /* ENOENT */) return 1;
  if (!variablesError) return 0;
  // Without efivarfs every variable is absent. A machine that a BIOS started has no variables, and no folder for them.
  struct statx found;
  return describe(AT_FDCWD, EFI_FOLDER, &found) != -2 /* ENOENT */;
}

#define SIGNATURE_KEY "nodewright-set"

// Mounts a set. A block of it that does not match its root hash cannot be read. That ends no machine: it would never start again.
static void mountSet(const char *set, const char *imageHash, const char *target) {
  static char signature[4096], name[PATH_BYTES], path[PATH_BYTES], image[PATH_BYTES];
  const char *options = "";
  if (!isRootHash(set)) FAIL("\"", set, "\" is not the name of a set of extensions");
  JOIN(name, "sets/", set, "/set");
  if (isSecureBootOn()) {
    JOIN(path, BOOT "/", slot, "/sets/", set, "/roothash.p7s");
    long bytes = must(readText(path, signature, sizeof(signature)), "read", path);
    must(addKey(SIGNATURE_KEY, signature, bytes), "keep", path);
    options = " 2 root_hash_sig_key_desc " SIGNATURE_KEY;
  }
  mountVerified(name, set, target, options);
  // The index of its modules is of one image only.
  JOIN(path, target, "/etc/extensions-image");
  if (readText(path, image, sizeof(image)) == HASH_DIGITS + 1 && begins(image, imageHash)) return;
  unmountAt(target, 0);
  FAIL("the set of extensions ", set, " is for another image");
}

// Mounts a set in a child, whose mounts are those of this process, too. Returns whether it is mounted.
static int trySet(const char *which, const char *set, const char *imageHash, const char *target) {
  int status = 1;
  devicePrefix = which;
  long child = forkProcess();
  if (child == 0) {
    isTrial = 1;
    mountSet(set, imageHash, target);
    endProcess(0);
  }
  if (child < 0 || waitForProcess(child, &status) != child || status) {
    WARN("the set of extensions ", set, " is left out");
    return 0;
  }
  SAY("extensions of the set ", set);
  JOIN(runningSet, "MACHINED_EXTENSION_SET=", set);
  return 1;
}

// Mounts the set that was installed last, if this is its first start, else the one that is in use. Returns whether there is one.
static int mountChosenSet(const char *imageHash, const char *target) {
  char set[PATH_BYTES];
  int isNew = readSetName("next", set, sizeof(set)) && takeNextSet();
  if (isNew && (begins(set, "none") || trySet("next", set, imageHash, target))) return !begins(set, "none");
  return readSetName("active", set, sizeof(set)) && trySet("active", set, imageHash, target);
}

// Mounts the root and, above it, the extensions in the order of their root hashes, and a set uppermost.
static void mountRoot(const char *rootHash) {
  static char hashes[sizeof(commandLine)], hash[PATH_BYTES], name[24], target[24], lower[PATH_BYTES], joined[PATH_BYTES];
  // A hypervisor may add words to a signed command line. That of an image always has this word, so an added one is the second.
  if (argument("nodewright.extensions", hashes, sizeof(hashes)) > 1 || length(hashes) >= MAXIMUM_EXTENSIONS * (HASH_DIGITS + 1))
    FAIL("nodewright.extensions must be once on the kernel's command line, with at most ", decimal(MAXIMUM_EXTENSIONS), " hashes");
  makeFolder(LAYERS, 0755);
  must(mountAt("tmpfs", LAYERS, "tmpfs", SECURE, 0), "mount", LAYERS);
  JOIN(lower, LAYERS "/0");
  mountVerified("rootfs", rootHash, lower, OF_IMAGE);
  int layers = 1;
  for (const char *at = hashes; *at; layers++) {
    at = copyPart(at, ',', hash, sizeof(hash));
    if (!isRootHash(hash)) FAIL("nodewright.extensions has \"", hash, "\" in place of the SHA-256 of a hash tree");
    JOIN(name, "extensions/", decimal(layers));
    JOIN(target, LAYERS "/", decimal(layers));
    mountVerified(name, hash, target, OF_IMAGE);
    JOIN(joined, target, ":", lower);
    copy(lower, joined, sizeof(lower));
  }
  if (mountChosenSet(rootHash, LAYERS "/set")) {
    layers++;
    JOIN(joined, LAYERS "/set:", lower);
    copy(lower, joined, sizeof(lower));
  }
  JOIN(joined, "lowerdir=", lower);
  must(layers == 1 ? mountAt(lower, ROOT, 0, MS_MOVE, 0) : mountAt("overlay", ROOT, "overlay", READ_ONLY, joined), "stack the layers on", ROOT);
  unmountAt(LAYERS, MNT_DETACH); // The overlay keeps its layers.
}

// Copies what the kernel reports of a block device under a name with `=`; an empty text when that is missing.
static void readFact(const char *device, const char *name, char *value, unsigned long bytes) {
  static char event[4096], line[PATH_BYTES];
  char path[PATH_BYTES];
  value[0] = 0;
  JOIN(path, "/sys/class/block/", device, "/uevent");
  if (readText(path, event, sizeof(event)) < 0) return;
  for (const char *at = event; *at && !value[0];) {
    at = copyPart(at, '\n', line, sizeof(line));
    if (begins(line, name)) copyPart(line + length(name), '\n', value, bytes);
  }
}

static int isBootPartition(const char *name) {
  char label[PATH_BYTES];
  readFact(name, "PARTNAME=", label, sizeof(label));
  return begins(label, "BOOT") && !label[4];
}

// Whether the slot on the mounted partition is that of this kernel. Another disk may have the image of another version in the same slot.
static int hasRootHash(const char *rootHash) {
  char path[PATH_BYTES], found[PATH_BYTES];
  JOIN(path, BOOT "/", slot, "/roothash");
  return readText(path, found, sizeof(found)) == HASH_DIGITS + 1 && begins(found, rootHash);
}

// Names the disk of the partition to machined, which looks for the other partitions of the machine on no other one.
static void nameSystemDisk(const char *partition) {
  char parent[PATH_BYTES], disk[PATH_BYTES];
  JOIN(parent, partition, "/..");
  readFact(parent, "DEVNAME=", disk, sizeof(disk));
  JOIN(systemDisk, "MACHINED_SYSTEM_DISK=/dev/", disk);
}

// Mounts the partition, by a copy of its superblock when the first one is damaged: a machine has no program that repairs it. The copies
// are where a file system of blocks of 4 KiB has them, counted in KiB. Source: Linux, ext4.
static long mountBoot(const char *device) {
  static const char *const copies[] = {"sb=131072", "sb=393216", 0};
  long error = mountAt(device, BOOT, "ext4", SECURE | MS_RDONLY, 0);
  for (const char *const *at = copies; error && *at; at++) {
    if (mountAt(device, BOOT, "ext4", SECURE | MS_RDONLY, *at)) continue;
    WARN("the superblock of ", device, " is damaged: error ", decimal(-error), "; its copy is used");
    return 0;
  }
  return error;
}

// Mounts the partition and looks for the image of this kernel in the slot; unmounts it if it has none or another one.
static int openImage(const char *name, const char *rootHash, int isLastTry) {
  char device[PATH_BYTES];
  JOIN(device, "/dev/", name);
  long error = mountBoot(device);
  if (error && isLastTry) WARN("cannot mount ", device, ": error ", decimal(-error));
  if (error) return 0;
  if (hasRootHash(rootHash)) {
    SAY("image ", BOOT "/", slot, "/rootfs.squashfs on ", device);
    nameSystemDisk(name);
    return 1;
  }
  if (isLastTry) WARN(device, " has not the image of this kernel in slot ", slot);
  unmountAt(BOOT, 0);
  return 0;
}

// Looks at every partition labelled BOOT ten times a second, for as long as disks may still appear.
static const int lastTry = 200;
static void findImage(const char *rootHash) {
  static char entries[8192];
  argument("nodewright.slot", slot, sizeof(slot));
  for (int tries = 0; tries <= lastTry; tries++) {
    long folder = openAt("/sys/class/block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long got; folder >= 0 && (got = readFolder(folder, entries, sizeof(entries))) > 0;)
      for (long at = 0; at < got; at += ((struct folderEntry *)(entries + at))->bytes) {
        const char *name = ((struct folderEntry *)(entries + at))->name;
        if (isBootPartition(name) && openImage(name, rootHash, tries == lastTry)) return;
      }
    closeFile(folder);
    pauseMs(100);
  }
  FAIL("no disk has a partition labelled BOOT with the image of this kernel in slot ", slot);
}

// While the system of the slot is tried, a watchdog restarts a machine that hangs, and its firmware starts the confirmed system. Hardware is
// preferred, because the timer of the kernel runs only as long as the kernel does. Returns the descriptor, or an error.
static long startWatchdog(void) {
  static const char *const drivers[] = {"i6300esb", "wdat_wdt", "softdog", 0};
  char path[PATH_BYTES];
  struct statx found;
  int seconds = WATCHDOG_SECONDS;
  JOIN(path, BOOT "/", slot, "/trial");
  if (describe(AT_FDCWD, path, &found)) return -1;
  long device = -1;
  for (const char *const *driver = drivers; *driver && device < 0; driver++) {
    JOIN(path, "/modules/", *driver, ".ko.xz");
    loadModule(openAt(path, O_RDONLY | O_CLOEXEC), "");
    device = openAt("/dev/watchdog", O_WRONLY | O_CLOEXEC);
    if (device >= 0) SAY("slot ", slot, " is tried: the watchdog ", *driver, " restarts a machine that hangs");
  }
  if (device < 0) WARN("slot ", slot, " is tried without a watchdog: error ", decimal(-device));
  else deviceControl(device, WDIOC_SETTIMEOUT, (long)&seconds);
  return device;
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
    must(mountAt(*from, target, 0, MS_MOVE, 0), "move", *from);
  }
  // The loop devices keep the file system of the image in use; nobody needs its path.
  unmountAt(BOOT, MNT_DETACH);
  long error = 0;
  if ((error = changeFolder(ROOT)) || (error = mountAt(".", "/", 0, MS_MOVE, 0)) || (error = changeRoot(".")) || (error = changeFolder("/")))
    FAIL("cannot switch to the root file system: error ", decimal(-error));
  removeAll(oldRoot, ((__u64)old.stx_dev_major << 32) | old.stx_dev_minor);
}

__attribute__((noreturn)) void start(void) {
  static char rootHash[PATH_BYTES];
  makeFolder(BOOT, 0755);
  makeFolder(ROOT, 0755);
  mountKernelFileSystems();
  readText("/proc/cmdline", commandLine, sizeof(commandLine));
  loadModules();
  // Its file system is a module. A BIOS has no variables.
  variablesError = mountAt("efivarfs", EFI_VARIABLES, "efivarfs", SECURE | MS_RDONLY | MS_RELATIME, 0);
  // A hypervisor may add words to a signed command line: a second hash would replace the signed one.
  if (argument("nodewright.roothash", rootHash, sizeof(rootHash)) != 1 || !isRootHash(rootHash))
    FAIL("nodewright.roothash must be once on the kernel's command line, with the SHA-256 of the hash tree of the root");
  findImage(rootHash);
  long watchdog = startWatchdog();
  mountRoot(rootHash);
  SAY("switching to the root file system");
  switchRoot();
  // Standard streams of the initramfs would keep its /dev in use.
  long console = openAt("/dev/console", O_RDWR);
  for (int stream = 0; console > 2 && stream < 3; stream++) duplicate(console, stream);
  // The number was that of a module. All other descriptors end with the next line.
  if (watchdog < 0 || duplicate(watchdog, WATCHDOG) < 0) runningWatchdog[sizeof("MACHINED_WATCHDOG")] = 0;
  commandMachine(LINUX_REBOOT_CMD_CAD_OFF); // For Ctrl-Alt-Del machined gets SIGINT: nothing is lost.
  long error = execute(arguments[0], arguments, environment);
  FAIL("cannot execute ", arguments[0], ": error ", decimal(-error));
}
