import { isDeepStrictEqual } from 'node:util';
import type { ConfigDocument } from '../../config-document.ts';
import { entriesOf, type YamlMap, type YamlValue } from '../../yaml/yaml-value.ts';
import type { ConversionNote } from '../conversion.ts';
import type { BackContext, BackOutcome, SectionValue } from '../convert-to-sections.ts';
import { isUnset } from '../value-path.ts';

const kinds = [
  'KubeAPIServerConfig',
  'KubeAdmissionControlConfig',
  'KubeAuditPolicyConfig',
  'KubeAuthenticationConfig',
  'KubeAuthorizerConfig',
];

/** The documents of the API server become one section, or all of them stay. */
export function backApiServer({ documents }: BackContext): BackOutcome {
  const [server, admission, audit, authentication, authorizers] = kinds.map((kind) =>
    documents.filter((document) => document.kind === kind),
  ) as [ConfigDocument[], ConfigDocument[], ConfigDocument[], ConfigDocument[], ConfigDocument[]];
  const [own] = server;
  if (own === undefined) return undefined;
  const all = [...server, ...admission, ...audit, ...authentication, ...authorizers];
  const section = ['cluster', 'apiServer'];
  const at = (
    to: readonly string[],
    value: YamlValue,
    document: ConfigDocument,
    from: string[],
  ): SectionValue => ({ to, value, document, from });
  const values: SectionValue[] = [];
  const notes: ConversionNote[] = [];
  const changed = (key: string, text: string, effective: string) =>
    notes.push({ kind: 'changed', key, text, effective });
  for (const [key, to] of [
    ['image', 'image'],
    ['extraArgs', 'extraArgs'],
    ['env', 'env'],
    ['resources', 'resources'],
    ['certExtraSANs', 'certSANs'],
  ] as const) {
    const value = own.value[key];
    if (!isUnset(value)) values.push(at([...section, to], value as YamlValue, own, [key]));
  }
  const { apiPort, startupProbes } = own.value;
  if (apiPort !== undefined && apiPort !== null && apiPort !== 0)
    values.push(at(['cluster', 'controlPlane', 'localAPIServerPort'], apiPort, own, ['apiPort']));
  if (startupProbes !== false)
    changed(
      'KubeAPIServerConfig: startupProbes',
      'the old form has none',
      'controlPlane.apiServer.startupProbes',
    );

  const [anonymous] = authentication;
  const {
    jwt,
    anonymous: access,
    ...others
  } = { ...(anonymous?.value.configuration as YamlMap | undefined) };
  if (!isUnset(jwt) || entriesOf(others).some(([key]) => !['apiVersion', 'kind'].includes(key)))
    return { stays: 'KubeAuthenticationConfig has more than anonymous access', documents: all };
  const { enabled, conditions } = { ...(access as YamlMap | undefined) };
  if (enabled === true && isUnset(conditions) && anonymous)
    values.push(at([...section, 'extraArgs', 'anonymous-auth'], 'true', anonymous, ['configuration']));
  else if (enabled === true)
    changed(
      'KubeAuthenticationConfig',
      'anonymous clients cannot read the health of the API server in the old form',
      'controlPlane.authentication',
    );
  else if (
    anonymous === undefined ||
    !isDeepStrictEqual({ ...(access as YamlMap) }, { enabled: false }) ||
    jwt !== undefined
  )
    changed(
      'KubeAuthenticationConfig',
      'the old form has no anonymous access',
      'controlPlane.authentication',
    );

  if (admission.length > 0)
    values.push(
      at(
        [...section, 'admissionControl'],
        admission.map(({ value }) => value),
        admission[0] as ConfigDocument,
        ['name'],
      ),
    );
  const [policy] = audit;
  if (policy && !isUnset(policy.value.configuration))
    values.push(
      at([...section, 'auditPolicy'], policy.value.configuration as YamlValue, policy, ['configuration']),
    );
  else
    changed(
      'KubeAuditPolicyConfig',
      'the old form logs the metadata of all requests',
      'controlPlane.auditPolicy',
    );

  const types = authorizers.map(({ value }) => value.type);
  const isUsual =
    types[0] === 'Node' && types[1] === 'RBAC' && types.slice(2).every((type) => type === 'Webhook');
  if (!isUsual) return { stays: 'in the old form the authorizers Node and RBAC come first', documents: all };
  const isDefault =
    types.length === 2 && authorizers[0]?.value.name === 'node' && authorizers[1]?.value.name === 'rbac';
  if (!isDefault)
    values.push(
      at(
        [...section, 'authorizationConfig'],
        authorizers.map(
          ({ value: { type, name, webhook } }) =>
            ({ type, name, ...(isUnset(webhook) ? {} : { webhook }) }) as YamlMap,
        ),
        authorizers[0] as ConfigDocument,
        ['name'],
      ),
    );
  return { values, removes: all, notes };
}
