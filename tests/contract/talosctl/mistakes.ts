// Mistakes that people make on a command line, each with what the program prints about it: one line that says what is wrong, and what to
// do about it in the same line or in a second one. mistakes.test.ts makes each of them.

export interface Mistake {
  /** The words of the command line, with one space between two; a list where a word has a space or is empty. */
  readonly words: string | readonly string[];
  /** The lines on standard error. `<cwd>` and `<talosconfig>` are the folder of the test and its file. */
  readonly says: readonly string[];
  /** Whose certificate the context has; an administrator's by default. */
  readonly role?: 'reader';
  /** A table has its header and a document its errors, also when no node has answered. */
  readonly prints?: 'header';
}

export const mistakes: readonly Mistake[] = [
  { words: 'memry', says: ['error: unknown command "memry": did you mean "memory"?; see "talosctl --help"'] },
  { words: 'xyzzy', says: ['error: unknown command "xyzzy"; see "talosctl --help"'] },
  { words: '-n node01', says: ['error: flag -n needs a command; see "talosctl --help"'] },
  { words: 'help nope', says: ['error: unknown command "nope"; see "talosctl --help"'] },
  {
    words: 'help config mege',
    says: ['error: unknown command "mege": did you mean "merge"?; see "talosctl config --help"'],
  },
  {
    words: 'memory --nodez x',
    says: ['error: unknown option "--nodez": did you mean "--nodes"?; see "talosctl memory --help"'],
  },
  { words: 'memory -n', says: ['error: option --nodes needs a value; see "talosctl memory --help"'] },
  {
    words: 'memory extra',
    says: ['error: command memory takes no arguments: "extra"; see "talosctl memory --help"'],
  },
  {
    words: 'memory -o xml',
    says: [
      `error: option --output must be one of table, wide, json, yaml, jsonpath='{...}', not "xml"; see "talosctl memory --help"`,
    ],
  },
  {
    words: 'memory -o jsonpath={.a',
    says: [
      'error: option --output: invalid JSONPath "{.a": "}" was expected at its end; see "talosctl memory --help"',
    ],
  },
  {
    words: 'memory -o name',
    says: [
      'error: option --output: memory has no names to print: use "-o json" or a jsonpath; see "talosctl memory --help"',
    ],
  },
  {
    words: ['-n', '', 'memory'],
    says: ['error: flag --nodes has an empty node name (""): name a node, or leave the flag out'],
  },
  {
    words: '-n , memory',
    says: ['error: flag --nodes has an empty node name (","): name a node, or leave the flag out'],
  },
  { words: 'memory -i', says: ['error: flag --insecure needs --nodes; see "talosctl memory --help"'] },
  {
    words: 'memory --context nope',
    says: ['error: context "nope" is not defined in talosconfig <talosconfig>; its contexts are: test'],
  },
  {
    words: 'memory --talosconfig /nowhere/config',
    says: [
      'error: talosconfig /nowhere/config does not exist: start a cluster with "make up" or "talosctl cluster create", or add one with "talosctl config merge <file>"',
    ],
  },
  {
    words: 'memory --talosconfig dir',
    says: ['error: talosconfig <cwd>/dir cannot be read: it is a folder'],
  },
  {
    words: 'memory --talosconfig bad.yaml',
    says: [
      'error: talosconfig <cwd>/bad.yaml: line 2: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  },
  {
    words: 'memory --talosconfig empty',
    says: [
      'error: talosconfig <cwd>/empty is empty: start a cluster with "make up" or "talosctl cluster create", or add one with "talosctl config merge <file>"',
    ],
  },
  {
    words: 'memory --cert-fingerprint zz',
    says: [
      'error: option --cert-fingerprint must be the base64 of a SHA-256, which has 44 characters, not "zz"; see "talosctl memory --help"',
    ],
  },
  {
    words: 'memory -e 127.0.0.1:99999',
    says: ['error: endpoint "127.0.0.1:99999": "99999" is not a port (1 to 65535)'],
  },
  { words: 'version --server', says: ['error: unknown option "--server"; see "talosctl version --help"'] },
  {
    words: 'version -o xml',
    says: [
      `error: option --output must be one of table, wide, json, yaml, jsonpath='{...}', not "xml"; see "talosctl version --help"`,
    ],
  },
  { words: 'logs', says: ['error: argument <id> is missing; see "talosctl logs --help"'] },
  {
    words: 'logs apidd',
    says: [
      'error from node node01: rpc error: code = NotFound desc = log "apidd" was not registered',
      'did you mean "apid"?',
    ],
  },
  {
    words: 'logs nope',
    says: [
      'error from node node01: rpc error: code = NotFound desc = log "nope" was not registered',
      '"talosctl service" lists the services',
    ],
  },
  {
    words: 'logs apid --tail x',
    says: ['error: option --tail must be a number of lines, not "x"; see "talosctl logs --help"'],
  },
  {
    words: 'logs apid -o xml',
    says: [
      `error: option --output must be one of table, wide, json, yaml, raw, jsonpath='{...}', not "xml"; see "talosctl logs --help"`,
    ],
  },
  {
    words: 'dmesg',
    says: [
      'error from node node01: rpc error: code = PermissionDenied desc = open /dev/kmsg: operation not permitted',
    ],
  },
  {
    words: 'dmesg extra',
    says: ['error: command dmesg takes no arguments: "extra"; see "talosctl dmesg --help"'],
  },
  {
    words: 'events --tail x',
    says: ['error: option --tail must be a number of events, not "x"; see "talosctl events --help"'],
  },
  {
    words: 'events --duration x',
    says: [
      'error: option --duration must be a duration such as 24h or 1h30m, not "x"; see "talosctl events --help"',
    ],
  },
  { words: 'get', says: ['error: argument <type> is missing; see "talosctl get --help"'] },
  {
    words: 'get members a b c',
    says: ['error: command get takes at most 2 arguments: "members, a, b, c"; see "talosctl get --help"'],
  },
  { words: 'get --output', says: ['error: option --output needs a value; see "talosctl get --help"'] },
  {
    words: 'service apd',
    says: ['error: service "apd" is not registered on any node', 'did you mean "apid"?'],
  },
  {
    words: 'service nope',
    says: ['error: service "nope" is not registered on any node', '"talosctl service" lists the services'],
  },
  {
    words: 'service apid explode',
    says: [
      'error: unknown action "explode": it must be start, stop, restart or status; see "talosctl service --help"',
    ],
  },
  {
    words: 'service a b c',
    says: ['error: command service takes at most 2 arguments: "a, b, c"; see "talosctl service --help"'],
  },
  {
    words: 'list --depth x',
    says: [
      'error: option --depth must be a whole number from 0 to 2147483647, not "x"; see "talosctl list --help"',
    ],
  },
  {
    words: 'list --type q',
    says: ['error: option --type must be of f, d and l, not "q"; see "talosctl list --help"'],
  },
  {
    words: 'list /nope',
    says: ['error from node node01: rpc error: code = NotFound desc = open /nope: no such file or directory'],
  },
  {
    words: 'usage --threshold x',
    says: ['error: option --threshold must be a number of bytes, not "x"; see "talosctl usage --help"'],
  },
  { words: 'read', says: ['error: argument <path> is missing; see "talosctl read --help"'] },
  {
    words: 'read a b',
    says: ['error: command read takes at most 1 argument: "a, b"; see "talosctl read --help"'],
  },
  {
    words: 'read /etc/nope',
    says: [
      'error from node node01: rpc error: code = NotFound desc = open /etc/nope: no such file or directory',
    ],
  },
  { words: 'copy', says: ['error: argument <src-path> is missing; see "talosctl copy --help"'] },
  { words: 'copy /etc', says: ['error: argument <local-path> is missing; see "talosctl copy --help"'] },
  {
    words: 'processes --sort size',
    says: ['error: option --sort must be one of rss, cpu, not "size"; see "talosctl processes --help"'],
  },
  {
    words: 'netstat --verbose extra',
    says: ['error: "extra" is not a pod: write namespace/pod; see "talosctl netstat --help"'],
  },
  {
    words: 'pcap -i lo',
    says: [
      'error from node node01: rpc error: code = PermissionDenied desc = packet socket: operation not permitted',
    ],
  },
  {
    words: 'pcap -i lo --duration x',
    says: [
      'error: option --duration must be a duration such as 24h or 1h30m, not "x"; see "talosctl pcap --help"',
    ],
  },
  {
    words: 'pcap -i lo --bpf-filter tcp -o x.pcap',
    says: [
      'error: option --bpf-filter: "tcp" is no instruction: it must be the text that "tcpdump -dd" prints for an expression; see "talosctl pcap --help"',
    ],
  },
  {
    words: 'pcap -n node01,node02',
    says: [
      'error: command pcap works on one node, and 2 are named: choose one with --nodes; see "talosctl pcap --help"',
    ],
  },
  { words: 'time --check', says: ['error: option --check needs a value; see "talosctl time --help"'] },
  {
    words: 'mounts x',
    says: ['error: command mounts takes no arguments: "x"; see "talosctl mounts --help"'],
  },
  {
    words: '-n node05 mounts',
    says: [
      'error from node node05: rpc error: code = Unavailable desc = no route to node "node05": it is not a member of this cluster, and its name does not resolve; the only endpoint was asked (via node01)',
      'the nodes of this cluster are node01',
    ],
    prints: 'header',
  },
  { words: 'inspect nope', says: ['error: unknown command "nope"; see "talosctl inspect --help"'] },
  {
    words: 'inspect dependencies -o gif',
    says: [
      'error: option --output must be one of dot, svg, json, yaml, not "gif"; see "talosctl inspect dependencies --help"',
    ],
  },
  {
    words: 'health --server=maybe',
    says: ['error: option --server must be true or false, not "maybe"; see "talosctl health --help"'],
  },
  {
    words: '-n node01,node02 health',
    says: [
      'error: health works on one node, and 2 are named; use flag --nodes; see "talosctl health --help"',
    ],
  },
  {
    words: 'health --run-e2e',
    says: [
      'error: flag --run-e2e is not implemented: this program has no Kubernetes tests; see "talosctl health --help"',
    ],
  },
  {
    words: 'health --wait-timeout abc',
    says: [
      'error: option --wait-timeout must be a duration such as 24h or 1h30m, not "abc"; see "talosctl health --help"',
    ],
  },
  {
    words: 'support -O /nope/s.zip',
    says: ['error: cannot write "/nope/s.zip": folder "/nope" does not exist'],
  },
  {
    words: 'support -O file',
    says: ['error: "file" exists already: remove it, or name another file with --output'],
  },
  {
    words: 'support -w 0',
    says: [
      'error: option --num-workers must be a whole number from 1 to 64, not "0"; see "talosctl support --help"',
    ],
  },
  {
    words: 'support --format xml',
    says: [
      'error: option --format must be one of table, json, yaml, not "xml"; see "talosctl support --help"',
    ],
  },
  { words: 'dashboard', says: ['error: the dashboard needs a terminal: without one, use -o json'] },
  {
    words: 'dashboard -d 1ms',
    says: [
      'error: option --update-interval must be 200ms or more, not "1ms"; see "talosctl dashboard --help"',
    ],
  },
  { words: 'dashboard --once', says: ['error: flag --once needs -o json; see "talosctl dashboard --help"'] },
  {
    words: 'ui --port x',
    says: ['error: option --port must be a whole number from 0 to 65535, not "x"; see "talosctl ui --help"'],
  },
  {
    words: 'ui --port 70000',
    says: [
      'error: option --port must be a whole number from 0 to 65535, not "70000"; see "talosctl ui --help"',
    ],
  },
  {
    words: 'ui --jaeger foo',
    says: [
      'error: option --jaeger must be a URL, such as http://127.0.0.1:16686, not "foo"; see "talosctl ui --help"',
    ],
  },
  {
    words: 'reboot --timeout x',
    says: [
      'error: option --timeout must be a duration such as 24h or 1h30m, not "x"; see "talosctl reboot --help"',
    ],
  },
  {
    words: 'reboot --mode nope',
    says: [
      'error: option --mode must be default, powercycle or force, not "nope"; see "talosctl reboot --help"',
    ],
  },
  {
    words: '-n node01,node02 reboot',
    says: [
      'error: reboot acts on 2 nodes (node01, node02), and there is no terminal to confirm it on: add flag --yes; see "talosctl reboot --help"',
    ],
  },
  {
    words: 'reboot --wait=false',
    says: [
      'error from node node01: rpc error: code = PermissionDenied desc = not authorized',
      'reboot needs the role os:operator or os:admin, and the certificate of this context has os:reader',
    ],
    role: 'reader',
  },
  {
    words: 'service apid stop',
    says: [
      'error from node node01: rpc error: code = PermissionDenied desc = not authorized',
      'service needs the role os:operator or os:admin, and the certificate of this context has os:reader',
    ],
    role: 'reader',
    prints: 'header',
  },
  {
    words: 'reset',
    says: [
      'error: reset wants its nodes named by flag --nodes: it takes none from the context, and no endpoint; see "talosctl reset --help"',
    ],
  },
  {
    words: 'reset -n node01 --wipe-mode nope',
    says: [
      'error: option --wipe-mode must be all, system-disk or user-disks, not "nope"; see "talosctl reset --help"',
    ],
  },
  {
    words: 'shutdown --timeout abc',
    says: [
      'error: option --timeout must be a duration such as 24h or 1h30m, not "abc"; see "talosctl shutdown --help"',
    ],
  },
  {
    words: 'bootstrap',
    says: [
      'error from node node01: rpc error: code = AlreadyExists desc = etcd data directory is not empty',
      'the cluster is bootstrapped already: "talosctl etcd members" lists its members',
    ],
  },
  {
    words: 'bootstrap --recover-from /nowhere/db',
    says: ['error: cannot read snapshot "/nowhere/db": no such file or directory'],
  },
  {
    words: '-n node01,node02 bootstrap',
    says: [
      'error: command bootstrap works on one node, and 2 are named: choose one with --nodes; see "talosctl bootstrap --help"',
    ],
  },
  {
    words: 'etcd membrs',
    says: ['error: unknown command "membrs": did you mean "members"?; see "talosctl etcd --help"'],
  },
  {
    words: 'etcd remove-member x -n node01',
    says: [
      'error: argument <member-id> must be a member id in hex, as "etcd members" prints it; see "talosctl etcd remove-member --help"',
    ],
  },
  {
    words: 'etcd remove-member',
    says: ['error: argument <member-id> is missing; see "talosctl etcd remove-member --help"'],
  },
  {
    words: 'etcd remove-member ab -n node01 --yes',
    says: [
      'error from node node01: rpc error: code = NotFound desc = etcdserver: member not found',
      '"talosctl etcd members" lists the members with their ids',
    ],
  },
  {
    words: 'etcd snapshot',
    says: ['error: argument <path> is missing; see "talosctl etcd snapshot --help"'],
  },
  { words: 'etcd snapshot /nope/x', says: ['error: cannot write "/nope/x": folder "/nope" does not exist'] },
  { words: 'etcd snapshot dir', says: ['error: cannot write "<cwd>/dir": it is a folder'] },
  {
    words: '-n node01,node02 etcd leave',
    says: [
      'error: etcd leave works on one node, and 2 are named: choose one with --nodes; see "talosctl etcd leave --help"',
    ],
  },
  {
    words: 'etcd downgrade enable',
    says: ['error: argument <version> is missing; see "talosctl etcd downgrade enable --help"'],
  },
  {
    words: 'etcd forfeit-leadership',
    says: [
      'error: etcd forfeit-leadership wants its nodes named by flag --nodes: it takes none from the context, and no endpoint; see "talosctl etcd forfeit-leadership --help"',
    ],
  },
  {
    words: 'etcd defrag --timeout x',
    says: ['error: unknown option "--timeout"; see "talosctl etcd defrag --help"'],
  },
  { words: 'apply-config', says: ['error: option --file is missing; see "talosctl apply-config --help"'] },
  {
    words: 'apply-config -f /nowhere.yaml',
    says: ['error: cannot read "/nowhere.yaml": no such file or directory'],
  },
  { words: 'apply-config -f dir', says: ['error: cannot read "dir": it is a folder'] },
  { words: 'apply-config -f empty', says: ['error: "empty" is empty: it contains no document'] },
  {
    words: 'apply-config -f file -m reboot',
    says: [
      'error: option --mode: Talos has removed this mode: use auto, or staged and "talosctl reboot"; see "talosctl apply-config --help"',
    ],
  },
  {
    words: 'apply-config -f file -m nope',
    says: [
      'error: option --mode must be one of auto, no-reboot, staged, try, not "nope"; see "talosctl apply-config --help"',
    ],
  },
  {
    words: 'apply-config -f file -m try --timeout 0s',
    says: [
      'error: option --timeout must be more than 0, such as 1m, not "0s"; see "talosctl apply-config --help"',
    ],
  },
  { words: 'patch', says: ['error: argument <type> is missing; see "talosctl patch --help"'] },
  {
    words: 'patch mc',
    says: ['error: no patch is given: use --patch or --patch-file; see "talosctl patch --help"'],
  },
  { words: 'patch mc -p @nowhere', says: ['error: cannot read "nowhere": no such file or directory'] },
  {
    words: 'patch mc -p nowhere',
    says: [
      'error: cannot read "nowhere": no such file or directory (a patch without a space or a newline is read as a file name)',
    ],
  },
  {
    words: ['patch', 'mc', '-p', 'a: ['],
    says: [
      'error: patch 1 of --patch: decode error: document 1, line 1, column 5: flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  },
  { words: 'edit', says: ['error: argument <type> is missing; see "talosctl edit --help"'] },
  {
    words: 'edit mc',
    says: ['error: no editor is set, and vi needs a terminal: set TALOS_EDITOR or EDITOR to a command'],
  },
  { words: 'validate', says: ['error: option --config is missing; see "talosctl validate --help"'] },
  {
    words: 'validate -c /nowhere -m metal',
    says: ['error: cannot read "/nowhere": no such file or directory'],
  },
  {
    words: 'validate -c bad.yaml -m metal',
    says: [
      'error: "bad.yaml" is not valid for metal mode: decode error: document 1, line 2, column 1: flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  },
  {
    words: 'validate -c empty -m nope',
    says: [
      'error: option --mode must be one of metal, cloud, container, not "nope"; see "talosctl validate --help"',
    ],
  },
  {
    words: 'machineconfig patch',
    says: ['error: argument <file> is missing; see "talosctl machineconfig patch --help"'],
  },
  {
    words: 'machineconfig patch nowhere.yaml -p a',
    says: ['error: cannot read "nowhere.yaml": no such file or directory'],
  },
  {
    words: 'machineconfig gen',
    says: ['error: argument <cluster-name> is missing; see "talosctl machineconfig gen --help"'],
  },
  {
    words: 'gen config',
    says: ['error: argument <cluster-name> is missing; see "talosctl gen config --help"'],
  },
  {
    words: 'gen config a',
    says: ['error: argument <cluster-endpoint> is missing; see "talosctl gen config --help"'],
  },
  {
    words: 'gen config a b',
    says: ['error: invalid cluster endpoint "b": it has no scheme and no port; try "https://b:6443"'],
  },
  {
    words: 'gen config a https://1.2.3.4:6443 --output-types nope',
    says: ['error: unknown output type "nope": use controlplane, worker, talosconfig'],
  },
  {
    words: 'gen config a https://1.2.3.4:6443 --with-secrets nowhere.yaml',
    says: ['error: cannot read "nowhere.yaml": no such file or directory'],
  },
  {
    words: 'gen config a https://1.2.3.4:6443 --config-patch @nowhere',
    says: ['error: cannot read "nowhere": no such file or directory'],
  },
  {
    words: 'gen config a https://1.2.3.4:6443 --kubernetes-version abc',
    says: [
      'error: option --kubernetes-version must be a version such as 1.37.0 or v1.37.0-rc.1, not "abc"; see "talosctl gen config --help"',
    ],
  },
  {
    words: 'gen config a https://1.2.3.4:6443 --talos-version v9.9',
    says: ['error: unsupported version "v9.9": supported are v1.0 to v1.17'],
  },
  {
    words: 'gen secrets -o /proc/nope/s.yaml',
    says: ['error: cannot write "/proc/nope/s.yaml": folder "/proc/nope" does not exist, and cannot be made'],
  },
  { words: 'gen secrets -o file', says: ['error: file "file" already exists, use --force to overwrite it'] },
  {
    words: 'gen secrets --from-controlplane-config nowhere',
    says: ['error: cannot read "nowhere": no such file or directory'],
  },
  { words: 'gen ca', says: ['error: option --organization is missing; see "talosctl gen ca --help"'] },
  {
    words: 'gen ca --organization a --hours x',
    says: [
      'error: option --hours must be a number of hours from 1 to 8760000, not "x"; see "talosctl gen ca --help"',
    ],
  },
  { words: 'gen crt', says: ['error: option --ca is missing; see "talosctl gen crt --help"'] },
  {
    words: 'gen crt --ca nope --csr nope --name x',
    says: ['error: cannot read "nope.crt": no such file or directory'],
  },
  { words: 'gen csr', says: ['error: option --key is missing; see "talosctl gen csr --help"'] },
  {
    words: 'gen csr --key nope --ip 1.2.3',
    says: ['error: option --ip must be an IP address, not "1.2.3"; see "talosctl gen csr --help"'],
  },
  { words: 'gen key', says: ['error: option --name is missing; see "talosctl gen key --help"'] },
  {
    words: 'gen keypair --ip x',
    says: ['error: option --ip must be an IP address, not "x"; see "talosctl gen keypair --help"'],
  },
  {
    words: 'gen secureboot',
    says: ['error: talosctl gen secureboot is not implemented: the table in README.md says what is'],
  },
  {
    words: 'config context',
    says: ['error: argument <context> is missing; see "talosctl config context --help"'],
  },
  {
    words: 'config context nope',
    says: ['error: context "nope" is not defined in talosconfig <talosconfig>; its contexts are: test'],
  },
  {
    words: 'config mege',
    says: ['error: unknown command "mege": did you mean "merge"?; see "talosctl config --help"'],
  },
  { words: 'config merge', says: ['error: argument <from> is missing; see "talosctl config merge --help"'] },
  { words: 'config merge nowhere', says: ['error: talosconfig <cwd>/nowhere does not exist'] },
  {
    words: 'config merge empty',
    says: ['error: talosconfig <cwd>/empty has no contexts: nothing was merged'],
  },
  {
    words: 'config merge bad.yaml',
    says: [
      'error: talosconfig <cwd>/bad.yaml: line 2: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  },
  { words: 'config add', says: ['error: argument <context> is missing; see "talosctl config add --help"'] },
  { words: 'config add x --ca nowhere', says: ['error: cannot read "nowhere": no such file or directory'] },
  {
    words: 'config remove',
    says: ['error: argument <glob> is missing; see "talosctl config remove --help"'],
  },
  {
    words: 'config remove nope',
    says: ['error: no context of talosconfig <talosconfig> matches "nope"; its contexts are: test'],
  },
  {
    words: 'config endpoint',
    says: ['error: argument <endpoint> is missing; see "talosctl config endpoint --help"'],
  },
  { words: 'config node nöde', says: ['error: node name "n\\u00f6de" is not a host name or an address'] },
  {
    words: 'config new dir',
    says: ['error: <cwd>/dir already exists and is not overwritten: name another file'],
  },
  {
    words: 'config new x --roles os:nope',
    says: [
      'error: unknown role "os:nope" in flag --roles: it must be one of os:admin, os:operator, os:reader, os:etcd:backup, os:image:verifier, os:meta:writer, os:impersonator; see "talosctl config new --help"',
    ],
  },
  {
    words: 'config new x --crt-ttl x',
    says: [
      'error: option --crt-ttl must be a duration such as 24h or 1h30m, not "x"; see "talosctl config new --help"',
    ],
  },
  {
    words: 'config info x',
    says: ['error: command info takes no arguments: "x"; see "talosctl config info --help"'],
  },
  {
    words: '-n node01,node02 kubeconfig',
    says: [
      'error: command kubeconfig works on one node, and 2 are named: choose one with --nodes; see "talosctl kubeconfig --help"',
    ],
  },
  { words: 'completion', says: ['error: argument <shell> is missing; see "talosctl completion --help"'] },
  {
    words: 'completion tcsh',
    says: [
      'error: unknown shell "tcsh": it must be one of bash, fish, powershell, zsh; see "talosctl completion --help"',
    ],
  },
  { words: 'replay', says: ['error: argument <archive> is missing; see "talosctl replay --help"'] },
  {
    words: 'replay nowhere',
    says: ['error: replay of "nowhere": open "<cwd>/nowhere": no such file or directory'],
  },
  { words: 'replay file', says: ['error: replay of "file": the archive is no zip archive, or is damaged'] },
  { words: 'replay dir', says: ['error: replay of "dir": it is a folder'] },
  { words: 'image pull', says: ['error: argument <image> is missing; see "talosctl image pull --help"'] },
  {
    words: 'image list --namespace nope',
    says: ['error: option --namespace must be cri, system or inmem, not "nope"; see "talosctl image --help"'],
  },
  { words: 'image import nowhere', says: ['error: cannot read "nowhere": no such file or directory'] },
  {
    words: 'image cache-create',
    says: ['error: option --images is missing; see "talosctl image cache-create --help"'],
  },
  {
    words: 'image cache-create --images x',
    says: ['error: option --image-cache-path is missing; see "talosctl image cache-create --help"'],
  },
  {
    words: 'image cache-serve',
    says: ['error: option --image-cache-path is missing; see "talosctl image cache-serve --help"'],
  },
  { words: 'image remove', says: ['error: argument <image> is missing; see "talosctl image remove --help"'] },
  {
    words: 'registry pull',
    says: ['error: argument <image> is missing; see "talosctl registry pull --help"'],
  },
  {
    words: 'registry remove',
    says: ['error: argument <image> is missing; see "talosctl registry remove --help"'],
  },
  {
    words: '-n node01,node02 registry collect',
    says: [
      'error: registry collect acts on 2 nodes (node01, node02), and there is no terminal to confirm it on: add flag --yes; see "talosctl registry collect --help"',
    ],
  },
  { words: 'extensions install nowhere', says: ['error: cannot read "nowhere": no such file or directory'] },
  {
    words: 'extensions install',
    says: ['error: argument <set> is missing; see "talosctl extensions install --help"'],
  },
  { words: 'wipe disk', says: ['error: argument <devices> is missing; see "talosctl wipe disk --help"'] },
  {
    words: 'wipe disk sda',
    says: [
      'error: wipe disk wants its nodes named by flag --nodes: it takes none from the context, and no endpoint; see "talosctl wipe disk --help"',
    ],
  },
  {
    words: 'wipe disk sda --method nope -n node01',
    says: ['error: option --method must be FAST or ZEROES, not "nope"; see "talosctl wipe disk --help"'],
  },
  { words: 'meta write', says: ['error: argument <key> is missing; see "talosctl meta write --help"'] },
  {
    words: 'meta write zz x',
    says: [
      'error: argument <key> must be a number from 0 to 255, such as 10 or 0x0a, not "zz"; see "talosctl meta write --help"',
    ],
  },
  { words: 'meta delete', says: ['error: argument <key> is missing; see "talosctl meta delete --help"'] },
  {
    words: 'meta delete nope',
    says: [
      'error: argument <key> must be a number from 0 to 255, such as 10 or 0x0a, not "nope"; see "talosctl meta delete --help"',
    ],
  },
  { words: 'restart', says: ['error: argument <id> is missing; see "talosctl restart --help"'] },
  { words: 'stats x', says: ['error: command stats takes no arguments: "x"; see "talosctl stats --help"'] },
  {
    words: 'containers x',
    says: ['error: command containers takes no arguments: "x"; see "talosctl containers --help"'],
  },
  {
    words: 'cgroups --preset nope',
    says: [
      'error: option --preset must be one of cpu, cpuset, io, memory, process, psi, swap, not "nope"; see "talosctl cgroups --help"',
    ],
  },
  {
    words: 'cgroups --schema-file nowhere',
    says: [
      'error: --schema-file is not implemented: its columns are Go templates; use --preset; see "talosctl cgroups --help"',
    ],
  },
  {
    words: 'cluster show --name nope',
    says: [
      'error: no cluster "nope" in <cwd>/.talos/clusters: "talosctl cluster list" lists those that exist',
    ],
  },
  {
    words: 'cluster logs --name nope',
    says: [
      'error: no cluster "nope" in <cwd>/.talos/clusters: "talosctl cluster list" lists those that exist',
    ],
  },
  {
    words: 'cluster stop --name nope',
    says: [
      'error: no cluster "nope" in <cwd>/.talos/clusters: "talosctl cluster list" lists those that exist',
    ],
  },
  { words: 'cluster join', says: ['error: argument <node> is missing; see "talosctl cluster join --help"'] },
  {
    words: 'cluster destroy --name nope',
    says: [
      'error: no cluster "nope" in <cwd>/.talos/clusters: "talosctl cluster list" lists those that exist',
    ],
  },
  {
    words: 'cluster destroy --name a/b',
    says: ['error: a cluster name is 1 to 63 letters, digits, dots, dashes and underscores, not "a/b"'],
  },
  {
    words: 'cluster create --controlplanes x',
    says: [
      'error: option --controlplanes must be a number of nodes, not "x"; see "talosctl cluster create --help"',
    ],
  },
  {
    words: 'cluster create --provisioner nope',
    says: [
      'error: option --provisioner must be one of process, docker, qemu, not "nope"; see "talosctl cluster --help"',
    ],
  },
  {
    words: 'cluster create docker --provisioner process',
    says: [
      'error: argument "docker" and --provisioner "process" name different provisioners; see "talosctl cluster create --help"',
    ],
  },
  {
    words: 'cluster create --image-path x',
    says: ['error: flag --image-path is only for --provisioner qemu; see "talosctl cluster create --help"'],
  },
  {
    words: 'cluster create --node-image x',
    says: ['error: flag --node-image is only for --provisioner docker; see "talosctl cluster create --help"'],
  },
  {
    words: 'cluster create --config-patch @nowhere',
    says: ['error: config patch <cwd>/nowhere cannot be read: no such file or directory'],
  },
  {
    words: ['cluster', 'create', '--name', 'a b'],
    says: ['error: a cluster name is 1 to 63 letters, digits, dots, dashes and underscores, not "a b"'],
  },
  { words: 'cluster nope', says: ['error: unknown command "nope"; see "talosctl cluster --help"'] },
  {
    words: 'conformance',
    says: ['error: talosctl conformance is not implemented: the table in README.md says what is'],
  },
  {
    words: 'rotate-ca',
    says: ['error: talosctl rotate-ca is not implemented: the table in README.md says what is'],
  },
  { words: 'debug', says: ['error: talosctl debug is not implemented: the table in README.md says what is'] },
  { words: 'disks', says: ['error: talosctl disks was removed: use talosctl get disks'] },
  {
    words: 'interfaces',
    says: ['error: talosctl interfaces was removed: use talosctl get addresses and talosctl get links'],
  },
  { words: 'crashdump', says: ['error: talosctl crashdump was removed: use talosctl support'] },
];
