/** What the table says of one judge and its subject. */
export interface Row {
  readonly name: string;
  readonly subject: string;
  readonly version: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** In words; of a skipped one, what it needs. */
  readonly verdict: string;
  /** Of the verdict, `2026-11-29`; none when it was skipped. */
  readonly date?: string;
  /** Details for people, one line each. */
  readonly findings: readonly string[];
}
