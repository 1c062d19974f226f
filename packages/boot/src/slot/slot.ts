/** Two systems lie side by side on a disk, so that an upgrade leaves the running one alone. */
export const slots = ['A', 'B'] as const;
export type Slot = (typeof slots)[number];

export const isSlot = (text: string): text is Slot => text === 'A' || text === 'B';

export const otherSlot = (slot: Slot): Slot => (slot === 'A' ? 'B' : 'A');
