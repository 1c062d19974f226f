// Values of examples that several kinds of documents have. None of them is a real key.

/** A certificate in PEM, shortened. */
export const certificatePem = '-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n';
/** A private key in PEM, shortened. */
export const privateKeyPem = '-----BEGIN PRIVATE KEY-----\nMIIB...\n-----END PRIVATE KEY-----\n';
/** The same in the form of the v1alpha1 document, as base64. */
export const certificateBase64 = 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi4uLg==';
export const privateKeyBase64 = 'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCi4uLg==';
/** The numbers from 0 to 31 as base64. */
export const keyBase64 = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
