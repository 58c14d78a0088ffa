/** The processor time of this thread for `work`, in milliseconds, whatever else the machine does. */
export function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
