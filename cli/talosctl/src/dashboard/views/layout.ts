import type { Size } from '../screen/frame.ts';

/** Below this many columns, panels stand one above the other, and tables lose their less important columns. */
export const narrow = 80;
/** From this many columns on, all columns fit. */
export const wide = 120;
/** Below this many rows of the body, only the most important lines of each panel are shown. */
export const short = 16;
/** Below this size nothing can be shown. */
export const leastSize: Size = { columns: 24, rows: 6 };
