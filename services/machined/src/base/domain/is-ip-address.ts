const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Whether a text is an IP address, not a host name. */
export function isIpAddress(text: string): boolean {
  return text.includes(':') ? URL.canParse(`http://[${text}]/`) : ipv4.test(text);
}
