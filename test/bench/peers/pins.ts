/**
 * The peers' packages, as lines of a requirements file. The hashes are those of
 * wheels for any platform and for Linux on x86-64: elsewhere pip refuses them.
 */
export const PINS = {
  monty: `
pydantic-monty==1.4.0 --hash=sha256:e398217fdb701e4daaeeb9fd65ad9319627cb114334bc00d6cf2444845c43bca
pydantic-monty-runtime==1.4.0 --hash=sha256:ff6301049a8e2f3407188dd174a749f2f2af6f82a2bc993c707dbebf44dcf651
pydantic-monty-client==1.4.0 \\
  --hash=sha256:2204520a4f4c4360527aa957e9b79f0295f14dfd30ea1bc0b7db373e7d8958e5 \\
  --hash=sha256:d5676ea4b2fead463c427f0a4536f59156feb978c56bd0862aef5ba24c00aff8 \\
  --hash=sha256:5f3f32a9cc72aa831ab4c951b4c6e720a1c81cca0db8d8956b70f5c242381ba8 \\
  --hash=sha256:15bd85bc75f1e6fafae2fc7f83f88348795d4376f25e7ede8d23b1cc504005a9 \\
  --hash=sha256:41e7bd5b0b6ae8f1ac878f2c2a3c60656319fb3d51602bb638f72d5db0734711
typing_extensions==4.16.0 --hash=sha256:481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8
`,
  eryx: `
pyeryx==0.11.0 --hash=sha256:2730ccbe6a7fb07b2995e52d0163dda670cd340aba0469be09e35fb14a3c22f2
`,
  predecessor: `
mcp-run-python==0.0.22 --hash=sha256:ae756e5c1060c3f9d7707a2705f8e11378775a4730316fd2edce20f9e1fe478b
`,
  fastmcp: Deno.readTextFileSync(
    new URL("./fastmcp_requirements.txt", import.meta.url),
  ),
} as const;
