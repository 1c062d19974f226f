/** Whether something works, as somebody has just seen it, and why not. What cannot be seen is not well. */
export type Wellness = { readonly isWell: true } | { readonly isWell: false; readonly reason: string };
