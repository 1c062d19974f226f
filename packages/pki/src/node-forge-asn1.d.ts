// Only the ASN.1 file of forge is loaded, because the whole library takes long to load. Its published types
// describe the whole library.
declare module 'node-forge/lib/asn1.js' {
  export interface Asn1 {
    readonly tagClass: number;
    readonly type: number;
    readonly constructed: boolean;
    /** The writer uses this flag: true for every value with children. */
    readonly composed: boolean;
    /** Bytes as a latin-1 string, or the children of a constructed value. */
    readonly value: string | Asn1[];
  }
  interface ForgeBytes {
    getBytes(): string;
  }
  const asn1: {
    create(tagClass: number, type: number, constructed: boolean, value: string | Asn1[]): Asn1;
    fromDer(
      bytes: string,
      options: { strict: true; parseAllBytes: true; decodeBitStrings: false; maxDepth: number },
    ): Asn1;
    toDer(value: Asn1): ForgeBytes;
    oidToDer(oid: string): ForgeBytes;
    derToOid(bytes: string): string;
  };
  export default asn1;
}
