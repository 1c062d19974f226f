/** Freezes plain data all the way down and gives it back. Bytes cannot be frozen and are left as they are. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) {
    return value;
  }
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}
