/** What tests, generated code and descriptions of types consist of has no logic of the product. */
const leftOut = /\.test\.ts$|\.d\.ts$|\/(?:gen|testing|conformance|node_modules)\//;
const generated = /^\/\/ (?:Code generated|Generated|Made by `make generate`)/im;

/** Whether faults may be planted in this file, by its path below the checkout. */
export const isMutable = (path: string): boolean =>
  /^(?:packages|services)\/.*\.ts$/.test(path) && !leftOut.test(path);

/** Whether a file with this text is made by a program. */
export const isGenerated = (text: string): boolean => generated.test(text.slice(0, 500));
