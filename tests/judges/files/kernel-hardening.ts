// Our own list of what a hardened kernel is started with, and of the parameters that it runs with. It was written without a look at what
// the image has. Source: Linux, Documentation/admin-guide/kernel-parameters.txt.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultKernelParameters } from '@nodewright/node-files';
import { type Finding, judgeOf } from '../judge.ts';

/** Words of the command line, each with what it is good for. */
const wantedArguments: Readonly<Record<string, string>> = {
  slab_nomerge: 'caches of the same size stay apart',
  'init_on_alloc=1': 'memory is zero when it is handed out',
  'init_on_free=1': 'memory is zero when it is given back',
  'page_alloc.shuffle=1': 'free pages come in a random order',
  'pti=on': 'user space does not see the pages of the kernel',
  'randomize_kstack_offset=on': 'the stack of each system call begins elsewhere',
  'vsyscall=none': 'no code at an address that everybody knows',
  'debugfs=off': 'no debugging interface for root',
  'module.sig_enforce=1': 'only signed modules',
  'lockdown=confidentiality': 'root cannot read or change the kernel',
  'iommu.strict=1': 'a device loses its access at once',
  'iommu.passthrough=0': 'devices reach only memory that they were given',
  'efi=disable_early_pci_dma': 'no device reads memory before the IOMMU is set up',
  'mitigations=auto,nosmt': 'no two threads on one core',
  'oops=panic': 'no program continues with a kernel that failed',
  'proc_mem.force_override=never': 'nobody writes to read-only memory by /proc/PID/mem',
  'bdev_allow_write_mounted=0': 'nobody writes to a disk below its file system',
};

/** Parameters of the running kernel. */
const wantedParameters: Readonly<Record<string, string>> = {
  'kernel.kptr_restrict': '2',
  'kernel.dmesg_restrict': '1',
  'kernel.perf_event_paranoid': '3',
  'kernel.randomize_va_space': '2',
  'kernel.sysrq': '0',
  'kernel.kexec_load_disabled': '1',
  'kernel.yama.ptrace_scope': '3',
  'kernel.unprivileged_bpf_disabled': '1',
  'kernel.io_uring_disabled': '2',
  'net.core.bpf_jit_harden': '2',
  'vm.unprivileged_userfaultfd': '0',
  'vm.mmap_rnd_bits': '32',
  'vm.mmap_min_addr': '65536',
  'user.max_user_namespaces': '0',
  'fs.protected_symlinks': '1',
  'fs.protected_hardlinks': '1',
  'fs.protected_fifos': '2',
  'fs.protected_regular': '2',
  'fs.suid_dumpable': '0',
  'dev.tty.ldisc_autoload': '0',
  'dev.tty.legacy_tiocsti': '0',
};

interface Kernel {
  readonly commandLine: string;
  /** By name, `kernel.sysrq`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** What a machine sets. */
function machineParameters(): Map<string, string> {
  const about = { isContainer: false, hasIpv6: true, memoryKilobytes: 8 << 20, architecture: 'x64' };
  return new Map(
    defaultKernelParameters(about).map(({ id, spec }) => [id.replace(/^proc\.sys\./, ''), spec.value]),
  );
}

export const kernelHardening = judgeOf<Kernel>({
  name: 'kernel hardening',
  subject: 'arguments and parameters of the kernel of machines',
  tool: { kind: 'own' },
  isQuick: true,
  ours: ({ image }) => ({
    commandLine: readFileSync(join(image, 'cmdline.txt'), 'utf8'),
    parameters: machineParameters(),
  }),
  broken: ({ image }) => ({
    commandLine: readFileSync(join(image, 'cmdline.txt'), 'utf8').replace('pti=on', 'pti=off'),
    parameters: machineParameters().set('kernel.kptr_restrict', '0'),
  }),
  ask: missingHardening,
});

/** What the list wants and the kernel does not have. */
export function missingHardening({ commandLine, parameters }: Kernel): Finding[] {
  // `slab_nomerge=` is `slab_nomerge`.
  const words = new Set(commandLine.split(/\s+/).map((word) => word.replace(/=$/, '')));
  const missingWords = Object.entries(wantedArguments).filter(([word]) => !words.has(word));
  const missingParameters = Object.entries(wantedParameters).filter(
    ([name, value]) => parameters.get(name) !== value,
  );
  return [
    ...missingWords.map(([word, use]) => ({ id: `argument ${word}`, text: use })),
    ...missingParameters.map(([name, value]) => ({
      id: `parameter ${name}=${value}`,
      text: `${parameters.get(name) ?? 'the default of the kernel'}`,
    })),
  ];
}
