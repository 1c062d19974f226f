// What judges find and we accept. Whatever else they find fails, and so does a row that finds nothing any more.
import type { ExpectedFinding } from './verdict.ts';

const built = 'the kernel of Debian is built with it';

export const expectedFindings: readonly ExpectedFinding[] = [
  {
    judge: 'sgdisk',
    findings: /Warning: There is a gap between the main partition table/,
    reason: 'the table is followed by free sectors up to the first partition at 1 MiB',
  },
  {
    judge: 'checksec',
    findings: /(?:opt\/cni\/bin\/\S+|usr\/bin\/(?:containerd\S*|runc)): canary no/,
    reason: 'Go checks the bounds of its stack itself',
  },
  {
    judge: 'checksec',
    findings: /usr\/lib\/\S+\/ld-linux-\S+: canary no/,
    reason: 'the loader sets up the canary, so it cannot use it',
  },
  { judge: 'checksec', findings: /usr\/bin\/node: pie no/, reason: 'Node.js is released so' },
  { judge: 'checksec', findings: /usr\/bin\/mkfs\.xfs: relro partial/, reason: 'Debian builds it so' },
  {
    judge: 'zlint',
    findings: /.+: warn w_ext_subject_key_identifier_missing_sub_cert/,
    reason: 'RFC 5280 recommends it for certificates that sign nothing; those of upstream have none either',
  },
  {
    judge: 'kernel hardening',
    findings: /argument (?:init_on_alloc=1|randomize_kstack_offset=on|vsyscall=none|iommu\.passthrough=0)/,
    reason: built,
  },
  {
    judge: 'kernel hardening',
    findings: /argument init_on_free=1/,
    reason: 'memory is already zero when it is handed out; a second time costs a few percent',
  },
  {
    judge: 'kernel hardening',
    findings: /argument debugfs=off/,
    reason: 'nodes mount it, as upstream does, and only root reads it',
  },
  {
    judge: 'kernel hardening',
    findings: /argument lockdown=confidentiality/,
    reason:
      'Debian locks the kernel by itself when UEFI verified it; without that root could replace the kernel anyway',
  },
  {
    judge: 'kernel hardening',
    findings: /argument mitigations=auto,nosmt/,
    reason: 'costs half of the threads; who runs untrusted pods adds it',
  },
  {
    judge: 'kernel hardening',
    findings: /argument oops=panic/,
    reason: 'the parameter kernel.panic_on_oops does the same',
  },
  { judge: 'kernel hardening', findings: /parameter vm\.mmap_min_addr=65536/, reason: built },
  {
    judge: 'kernel hardening',
    findings: /parameter kernel\.kexec_load_disabled=1/,
    reason: 'a reboot by kexec needs it',
  },
  {
    judge: 'kernel hardening',
    findings: /parameter kernel\.yama\.ptrace_scope=3/,
    reason: 'it is 2, as upstream has it: root may debug its own processes',
  },
];
