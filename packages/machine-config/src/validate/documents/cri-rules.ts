import { labelKeyProblem } from '../../forms/names.ts';
import { isLoadablePair, parseCertificates } from '../../forms/pem-text.ts';
import { parseUrl } from '../../forms/url-text.ts';
import type { DocumentRules } from '../checked-document.ts';
import { checkRuntimeSpec } from '../runtime-spec.ts';

/** Rules for registries and the container runtime. Source: Talos v1.14: machine configuration, container runtime. */
export const criRules: DocumentRules = {
  RegistryMirrorConfig(document) {
    document.require('name');
    for (const endpoint of document.items('endpoints')) {
      if (!endpoint.require('url')) continue;
      const url = parseUrl(endpoint.text('url'));
      if (!url?.host || !['http', 'https'].includes(url.scheme))
        endpoint.refuse('must be a URL with scheme http or https', 'url');
    }
  },
  RegistryAuthConfig(document) {
    document.require('name');
    const given = ['username', 'auth', 'identityToken'].filter((key) => document.text(key) !== '');
    if (given.length > 1) document.refuse(`cannot be combined with ${given[0]}`, given[1] as string);
  },
  RegistryTLSConfig(document) {
    document.require('name');
    const [certificate, key] = [
      document.text('clientIdentity', 'cert'),
      document.text('clientIdentity', 'key'),
    ];
    if (document.has('clientIdentity') && (certificate === '' || key === ''))
      document.refuse('needs both cert and key', 'clientIdentity');
    else if (certificate !== '' && !isLoadablePair(certificate, key))
      document.refuse('must be a certificate with its key in PEM', 'clientIdentity');
    if (document.text('ca') !== '' && !parseCertificates(document.text('ca')))
      document.refuse('must be a certificate in PEM', 'ca');
  },
  CRICustomizationConfig(document) {
    if (document.name === 'customization') document.refuse('is reserved', 'name');
    else {
      const problem = labelKeyProblem(document.name);
      if (problem !== undefined) document.refuse(problem, 'name');
    }
  },
  CRIBaseRuntimeSpecConfig: (document) => checkRuntimeSpec(document, 'overrides'),
};
