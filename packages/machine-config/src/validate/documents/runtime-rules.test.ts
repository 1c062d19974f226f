import { test } from 'node:test';
import { checkRows } from '../sample-validation.ts';

test('validation checks documents that configure the running system', () => {
  checkRows([
    [
      'EnvironmentConfig',
      'variables: { A_1: x, 1A: y }',
      '!variables.1A must be named with letters, digits and "_"',
    ],
    ['EventSinkConfig', 'endpoint: host', '!endpoint must be host:port'],
    ['KmsgLogConfig', 'name: k\nurl: udp://host:514/'],
    [
      'KmsgLogConfig',
      'name: k\nurl: udp://host',
      '!url must be a URL with scheme tcp or udp, a host and a port',
    ],
    ['KernelModuleConfig', 'parameters: [a=1]', '!name is required'],
    ['SysctlConfig', 'params: { "": x }', '!params must not have an empty key'],
    ['SysfsConfig', 'params: { a: x }'],
    [
      'OOMConfig',
      'triggerExpression: memory_full_avg10 >\ncgroupRankingExpression: "true"\nsampleInterval: -1s',
      '!triggerExpression is not a valid expression: 1:20: syntax error: the expression ends where a value is expected',
      '!cgroupRankingExpression must be an expression of type double: this one is of type bool',
      '!sampleInterval must not be negative',
    ],
    [
      'OOMConfig',
      'triggerExpression: memory_full_avg10 > 12.0 && time_since_trigger > duration("500ms")\ncgroupRankingExpression: "memory_max.hasValue() ? 0.0 : double(memory_current.orValue(0u))"',
    ],
    [
      'OOMConfig',
      'triggerExpression: memory_pressure > 12.0',
      '!triggerExpression is not a valid expression: 1:1: undeclared reference to "memory_pressure"',
    ],
    ['WatchdogTimerConfig', 'timeout: 9s', '!device is required', '!timeout must be 0 or at least 10s'],
    ['EtcFileConfig', 'name: chrony/chrony.conf\nmode: 0644\ncontents: x'],
    ['EtcFileConfig', 'name: a/../../b', '!name must be a path below /etc, relative to it'],
    ['EtcFileConfig', 'name: ssl/x', '!name is written by the system itself'],
    [
      'UnattendedInstallConfig',
      'reboot: true',
      '!provisioning.diskSelector.match is required',
      '?installer.image is not set: the booted image will be installed',
    ],
    [
      'ExtensionServiceConfig',
      'name: e\nconfigFiles: [{ content: c }]',
      '!configFiles[0].mountPath is required',
    ],
    ['ExtensionServiceConfig', 'name: e', '!needs at least one of configFiles and environment'],
  ]);
});

test('validation checks documents that configure discovery, trust and SideroLink', () => {
  checkRows([
    [
      'DiscoveryServiceConfig',
      'name: d\nendpoint: ftp://x',
      '!endpoint must be a URL with scheme http, https or grpc and a host',
    ],
    [
      'DiscoveryIdentityConfig',
      'clusterSecret: x',
      '!clusterID is required',
      '!clusterSecret must be base64 of 32 bytes',
    ],
    [
      'PCIDriverRebindConfig',
      'name: x',
      '!name must be a PCI address such as 0000:04:00.00',
      '!targetDriver is required',
    ],
    ['PCIDriverRebindConfig', 'name: 0000:04:00.00\ntargetDriver: vfio-pci'],
    ['PCIDriverRebindConfig', 'name: 0000:04:00.0\ntargetDriver: vfio-pci'],
    ['TrustedRootsConfig', 'name: ""\ncertificates: x'],
    ['SideroLinkConfig', 'apiUrl: https://a/?jointoken=x'],
    [
      'SideroLinkConfig',
      'apiUrl: https://a/b',
      '!apiUrl must be a URL with scheme https or grpc, a host and no path',
    ],
    [
      'ImageVerificationConfig',
      'rules: [{ image: "*", skip: true, deny: true }, { image: a, skip: true, keyless: { issuer: i } }, { image: a/b:c }, { publicKey: {} }]',
      '!rules[0].deny cannot be combined with skip',
      '!rules[1].keyless cannot be combined with skip or deny',
      '!rules[1].keyless needs subject or subjectRegex',
      '!rules[2] needs exactly one of keyless and publicKey',
      '!rules[3].image is required',
      '!rules[3].publicKey.certificate is required',
      '?rules[1].image contains no "/": it matches only a registry',
      '?rules[2].image contains ":" after the first "/": tags are not compared',
    ],
  ]);
});
