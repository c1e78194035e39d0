// JSON Web Tokens (RFC 7519, RFC 9068) and sets of keys: the library of most issuers, without dependencies.
export { createRemoteJWKSet, errors, jwtVerify } from "jose";
export type { JWTPayload } from "jose";
