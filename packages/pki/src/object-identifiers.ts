/** Object identifiers of X.509 and PKCS #10. Source: RFC 5280, RFC 2985, RFC 5758, RFC 8410. */
export const objectIdentifiers = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',

  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',

  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',

  extensionRequest: '1.2.840.113549.1.9.14',
} as const;
