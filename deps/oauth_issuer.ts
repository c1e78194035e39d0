// For tests: an issuer of access tokens, over real HTTP.
export { OAuth2Server } from "oauth2-mock-server";
