export type CallAnswer = { value: unknown } | {
  error: { type: string; message: string };
};
export interface HostCall {
  name: string;
  args: any[];
  kwargs: Record<string, any>;
}
