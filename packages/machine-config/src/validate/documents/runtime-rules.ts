import { checkExpression } from '../../cel/check-expression.ts';
import { millisecondsOf } from '../../decode/duration.ts';
import { parseHostPort } from '../../forms/ip-text.ts';
import { parseUrl } from '../../forms/url-text.ts';
import type { CheckedDocument, DocumentRules } from '../checked-document.ts';
import { requireExpression } from '../require-expression.ts';
import { checkNotNegative } from './block-rules.ts';

/** Files below `/etc` that the system itself writes. */
const ownFiles = [
  'resolv.conf',
  'hosts',
  'machine-id',
  'extensions.yaml',
  'localtime',
  'os-release',
  'xattr.conf',
];

const ownFolders = [
  'apparmor.d',
  'apparmor',
  'ca-certificates',
  'cni',
  'cri',
  'iscsi',
  'kubernetes',
  'lvm',
  'nvme',
  'pki',
  'selinux',
  'ssl',
];

/** Rules for the running system. Source: Talos v1.14: machine configuration, runtime. */
export const runtimeRules: DocumentRules = {
  EnvironmentConfig(document) {
    for (const name of Object.keys(document.map('variables')))
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
        document.refuse('must be named with letters, digits and "_"', 'variables', name);
  },
  EventSinkConfig(document) {
    if (!parseHostPort(document.text('endpoint'))) document.refuse('must be host:port', 'endpoint');
  },
  KmsgLogConfig(document) {
    document.require('name');
    const url = parseUrl(document.text('url'));
    if (
      !url?.hostname ||
      !['tcp', 'udp'].includes(url.scheme) ||
      url.port === '' ||
      !['', '/'].includes(url.path)
    )
      document.refuse('must be a URL with scheme tcp or udp, a host and a port', 'url');
  },
  KernelModuleConfig: (document) => void document.require('name'),
  SysctlConfig: requireKeys,
  SysfsConfig: requireKeys,
  OOMConfig(document) {
    for (const [key, environment, result] of [
      ['triggerExpression', 'oom-trigger', 'bool'],
      ['cgroupRankingExpression', 'oom-ranking', 'double'],
    ] as const) {
      const text = document.text(key);
      const problem = text === '' ? undefined : checkExpression(text, environment, result);
      if (problem !== undefined) document.refuse(problem, key);
    }
    checkNotNegative(document, 'sampleInterval');
  },
  WatchdogTimerConfig(document) {
    document.require('device');
    const timeoutMs = millisecondsOf(document.text('timeout'));
    if (timeoutMs !== 0 && timeoutMs < 10_000) document.refuse('must be 0 or at least 10s', 'timeout');
  },
  EtcFileConfig: checkEtcFile,
  UnattendedInstallConfig(document) {
    requireExpression(document, 'disk', ['provisioning', 'diskSelector', 'match']);
    if (document.text('installer', 'image') === '')
      document.warn('is not set: the booted image will be installed', 'installer', 'image');
  },
  ExtensionServiceConfig(document) {
    document.require('name');
    const files = document.items('configFiles');
    if (files.length === 0 && document.texts('environment').length === 0)
      document.refuse('needs at least one of configFiles and environment');
    for (const file of files) {
      file.require('content');
      file.require('mountPath');
    }
  },
};

function requireKeys(document: CheckedDocument): void {
  if (Object.hasOwn(document.map('params'), '')) document.refuse('must not have an empty key', 'params');
}

function checkEtcFile(document: CheckedDocument): void {
  const { name } = document;
  const parts = name.split('/');
  if (name === '' || name.startsWith('/') || name.startsWith('.') || parts.includes('..'))
    document.refuse('must be a path below /etc, relative to it', 'name');
  else if (ownFiles.includes(name) || ownFolders.includes(parts[0] ?? ''))
    document.refuse('is written by the system itself', 'name');
}
