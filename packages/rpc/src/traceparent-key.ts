/** Metadata key of W3C trace context. */
export const traceparentKey = 'traceparent';
