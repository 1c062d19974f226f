// The text of a status travels in a trailer. The library ends the process over half a character in it, and a text that
// makes the trailers larger than the other side takes ends the connection, with every other call on it. What a text
// quotes may be of any length, and may have been cut anywhere.

/** Encoded, in bytes: half of what common implementations take for all trailers of a call. */
const maxEncodedBytes = 32 * 1024;
/** A UTF-16 unit takes at most three bytes, each written as `%xx`. */
const maxBytesOfUnit = 9;

/** The text as a trailer can carry it: well-formed, and cut where it is too long, which its end then says. */
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
