// Secrets that are recognised by their form, without a name before them.
import { type OnSecret, redactionMark } from './known-secrets.ts';

/**
 * Tokens with a form of their own. Each begins only where no word does already, so that a long line of beginnings takes linear
 * time.
 */
const formats: readonly RegExp[] = [
  // AWS: identities of access keys.
  /(?<![A-Za-z0-9_-])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  // GitHub, GitLab, Slack, Docker, npm, Vault, Tailscale, Google, age.
  /(?<![A-Za-z0-9_-])gh[pousr]_[A-Za-z0-9]{30,}/g,
  /(?<![A-Za-z0-9_-])github_pat_\w{20,}/g,
  /(?<![A-Za-z0-9_-])(?:glpat-|xox[abeoprs]-|dckr_pat_|npm_|hv[bs]\.|tskey-)[A-Za-z0-9_-]{16,}/g,
  /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}/g,
  /(?<![A-Za-z0-9_-])AGE-SECRET-KEY-1[A-Z0-9]{20,}/g,
  // Signed tokens (JWT), such as those of service accounts.
  /(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]*)?/g,
  // Bootstrap tokens of Kubernetes.
  /(?<![A-Za-z0-9_.-])(?=[a-z.]{0,22}[0-9])[a-z0-9]{6}\.[a-z0-9]{16}(?![A-Za-z0-9_-]|\.[A-Za-z])/g,
  // Hashes of passwords, as in /etc/shadow.
  /(?<![A-Za-z0-9$])\$(?:1|2[aby]|5|6|7|y|argon2id?)\$[A-Za-z0-9./$=,+-]{12,}/g,
];

const scheme = /(?<![A-Za-z0-9_.-])((?:Bearer|Basic) +)([A-Za-z0-9._~+/-]{12,}=*)/gi;
/** `login NAME password WORD`, as in `.netrc`, in one line or in two. */
const netrc =
  /((?<![A-Za-z0-9_-])login\s{1,8}[^\s]{1,128}\s{1,8}password\s{1,8}|^\s{0,64}password\s{1,8}(?=[^\s]{0,128}[^a-z\s][^\s]{0,128}\s{0,8}$))[^\s]+/g;
/** `-u user:password` and `--user user:password`, of curl and etcdctl. */
const userFlag =
  /((?<![^\s"'[,])(?:-u\s{0,8}|--(?:proxy-)?user(?:=|\s{1,8}|["']\s{0,8},\s{0,8}))["']?[^\s:"'/]{1,128}:)[^\s"']+/g;
/** `user:password@tcp(host)`, the form of MySQL. */
const dataSource = /(?<![^\s"'=])([A-Za-z0-9_.-]{0,32}:)[^\s"'@=:]{1,64}@(?=(?:tcp|unix)\()/g;

/** The line without secrets that have a form of their own. */
export function hideFormats(line: string, onSecret: OnSecret): string {
  const hide = (text: string, before = ''): string => {
    const secret = text.slice(before.length);
    if (secret === redactionMark) return text;
    onSecret(secret);
    return before + redactionMark;
  };
  const hidden = formats.reduce((text, format) => text.replace(format, (found) => hide(found)), line);
  return hideUrlPasswords(
    hidden
      .replace(scheme, (text, name: string, value: string) => (isWord(value) ? text : hide(text, name)))
      .replace(netrc, hide)
      .replace(userFlag, hide)
      .replace(dataSource, (text, before: string) => `${hide(text.slice(0, -1), before)}@`),
    onSecret,
  );
}

/** `Basic authentication` is no secret. */
const isWord = (text: string) => /^[A-Z]?[a-z-]+$/.test(text);

const run = /[^\s"'`<>]+/g;
const delimiter = /[:/?#@]/g;
const port = /:\d{1,5}\//y;

/**
 * Hides the password in `scheme://user:password@host`. It ends at the last `@` before a blank or a quote, because a password may
 * contain `@` and `/`.
 */
function hideUrlPasswords(line: string, onSecret: OnSecret): string {
  if (!line.includes('://') || !line.includes('@')) return line;
  return line.replace(run, (text) => {
    const end = text.lastIndexOf('@');
    for (let at = text.indexOf('://'); at >= 0 && at < end; at = text.indexOf('://', at + 3)) {
      delimiter.lastIndex = at + 3;
      const colon = delimiter.exec(text);
      if (colon?.[0] !== ':' || isPort(text, colon.index, end)) continue;
      onSecret(text.slice(colon.index + 1, end));
      return `${text.slice(0, colon.index + 1)}${redactionMark}${text.slice(end)}`;
    }
    return text;
  });
}

/** Whether a port and a path with `@` follow: `//registry:5000/image@sha256:...`, `//registry:4873/@scope`. */
function isPort(text: string, colon: number, at: number): boolean {
  port.lastIndex = colon;
  return port.test(text) && (text[at - 1] === '/' || /^@sha\d{3}:/.test(text.slice(at, at + 8)));
}
