/** What an entry costs besides its name and value, in bytes. Source: RFC 7541, section 4.1. */
export const entryOverheadBytes = 32;

/** The dynamic table of a decoder: the newest entry first. Source: RFC 7541, section 2.3.2. */
export class DynamicTable {
  /** A ring of names and values; it has room for the most entries that fit into the largest table. */
  #names: string[] = [];
  #values: string[] = [];
  #capacity = 0;
  /** Position of the newest entry. */
  #newest = 0;
  #count = 0;
  #sizeBytes = 0;
  #limitBytes: number;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get limitBytes(): number {
    return this.#limitBytes;
  }

  /** The name of the entry at `index`, counted from 0 for the newest; it must exist. */
  nameAt(index: number): string {
    return this.#names[this.#position(index)] as string;
  }

  valueAt(index: number): string {
    return this.#values[this.#position(index)] as string;
  }

  /** Adds an entry and evicts the oldest ones. An entry larger than the table only empties it. */
  add(name: string, value: string): void {
    const bytes = name.length + value.length + entryOverheadBytes;
    this.#evictTo(this.#limitBytes - bytes);
    if (bytes > this.#limitBytes) return;
    if (this.#count === this.#capacity) this.#grow();
    this.#newest = (this.#newest + 1) % this.#capacity;
    this.#names[this.#newest] = name;
    this.#values[this.#newest] = value;
    this.#count += 1;
    this.#sizeBytes += bytes;
  }

  resize(limitBytes: number): void {
    this.#limitBytes = limitBytes;
    this.#evictTo(limitBytes);
  }

  #position(index: number): number {
    return (this.#newest - index + this.#capacity) % this.#capacity;
  }

  #evictTo(sizeBytes: number): void {
    while (this.#count > 0 && this.#sizeBytes > sizeBytes) {
      const oldest = this.#position(this.#count - 1);
      const name = this.#names[oldest] as string;
      const value = this.#values[oldest] as string;
      this.#sizeBytes -= name.length + value.length + entryOverheadBytes;
      // Let the strings go.
      this.#names[oldest] = '';
      this.#values[oldest] = '';
      this.#count -= 1;
    }
  }

  #grow(): void {
    const names: string[] = [];
    const values: string[] = [];
    for (let index = this.#count - 1; index >= 0; index -= 1) {
      names.push(this.nameAt(index));
      values.push(this.valueAt(index));
    }
    this.#capacity = Math.max(16, 2 * this.#capacity);
    this.#newest = this.#count - 1;
    while (names.length < this.#capacity) {
      names.push('');
      values.push('');
    }
    this.#names = names;
    this.#values = values;
    if (this.#newest < 0) this.#newest = this.#capacity - 1;
  }
}
