// JSON Web Tokens (RFC 7519, RFC 9068) and sets of keys: the library of most issuers, without dependencies.
export { createRemoteJWKSet, errors, jwtVerify } from "jose";
// For tests.
export { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from "jose";
