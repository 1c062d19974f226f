export type Condition = 'good' | 'warning' | 'bad' | 'unknown';

/** A statement about the cluster: a word or a number, what it means, and how good that is. */
export interface Statement {
  readonly value: string;
  readonly note: string;
  readonly condition: Condition;
}
