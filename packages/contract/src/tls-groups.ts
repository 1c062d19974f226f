/**
 * The key exchanges of every TLS connection of this project, for the option `ecdhCurve` of Node.js: those that
 * Go offers by default, without P-521. X448, P-521 and ffdhe2048 cost a server up to four times as much as
 * X25519, and a client chooses.
 *
 * `*`: a client sends a key share of this group at once, so that neither an old nor a new server asks again.
 * `/`: a server asks a client again rather than fall back from a group in front of it to one behind it.
 * Source: OpenSSL, SSL_CTX_set1_groups_list.
 */
export const tlsKeyExchanges = '*X25519MLKEM768 / *X25519:P-256 / P-384';
