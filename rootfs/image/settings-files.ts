/** Files that the image contains and no package brings, by path below the root. */
export function settingsFiles(
  { tag }: { readonly tag: string },
  certificates: string,
): Record<string, string> {
  return {
    'etc/os-release': [
      'NAME="nodewright"',
      'ID=nodewright',
      `VERSION_ID=${tag}`,
      `PRETTY_NAME="nodewright (${tag})"`,
      '',
    ].join('\n'),
    // The numbers of apid and trustd are those of Talos; udevd-bridge is our own.
    'etc/passwd':
      'root:x:0:0:root:/:/sbin/nologin\napid:x:50:50::/:/sbin/nologin\ntrustd:x:51:51::/:/sbin/nologin\nregistryd:x:53:53::/:/sbin/nologin\nudevd-bridge:x:54:54::/:/sbin/nologin\n',
    'etc/group': 'root:x:0:\ntty:x:5:\napid:x:50:\ntrustd:x:51:\nregistryd:x:53:\nudevd-bridge:x:54:\n',
    'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    'etc/ssl/certs/ca-certificates.crt': certificates,
    // Network links keep the kernel's names, by which the documents and `ip=` name them. Other programs choose their own
    // addresses for the links that they make. Source: systemd.link(5).
    'usr/lib/systemd/network/99-default.link': [
      '[Match]',
      'OriginalName=*',
      '',
      '[Link]',
      'NamePolicy=keep',
      'AlternativeNamesPolicy=database onboard slot path mac',
      'MACAddressPolicy=none',
      '',
    ].join('\n'),
    // machined mounts its own files over these.
    'etc/hosts': '',
    'etc/hostname': '',
    'etc/machine-id': '',
    'etc/resolv.conf': '',
  };
}
