// The text of a status is sent in a trailer. Half a surrogate pair in it makes the library end the process.
// Trailers larger than the peer accepts close the connection with all of its calls. A text may quote input of
// any length, cut at any position.

/** Encoded, in bytes: half of what common implementations accept for all trailers of a call. */
const maxEncodedBytes = 32 * 1024;
/** A UTF-16 unit takes at most three bytes, each written as `%xx`. */
const maxBytesOfUnit = 9;

/** Makes a text fit for a trailer: well-formed, and truncated with a note at its end when it is too long. */
export function statusText(message: string): string {
  if (message.length * maxBytesOfUnit <= maxEncodedBytes) return message.toWellFormed();
  const text = message.slice(0, maxEncodedBytes + 1).toWellFormed();
  let encodedBytes = 0;
  let end = 0;
  for (const character of text) {
    encodedBytes += encodeURI(character).length;
    if (encodedBytes > maxEncodedBytes) {
      return `${text.slice(0, end)}... (cut: it has ${message.length} characters)`;
    }
    end += character.length;
  }
  return text;
}
