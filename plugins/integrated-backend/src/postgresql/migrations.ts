import { Integrated0001 } from "./migrations/integrated-0001.ts";
import { Integrated0002 } from "./migrations/integrated-0002.ts";
import { Integrated0003 } from "./migrations/integrated-0003.ts";
import { Integrated0004 } from "./migrations/integrated-0004.ts";
import { Integrated0005 } from "./migrations/integrated-0005.ts";
import { Integrated0006 } from "./migrations/integrated-0006.ts";
import { Integrated0007 } from "./migrations/integrated-0007.ts";
import { Integrated0008 } from "./migrations/integrated-0008.ts";
import { Integrated0009 } from "./migrations/integrated-0009.ts";
import { Integrated0010 } from "./migrations/integrated-0010.ts";
import { Integrated0012 } from "./migrations/integrated-0012.ts";
import { Integrated0013 } from "./migrations/integrated-0013.ts";
import { Integrated0014 } from "./migrations/integrated-0014.ts";
import { Integrated0015 } from "./migrations/integrated-0015.ts";
import { Integrated0016 } from "./migrations/integrated-0016.ts";
import { Integrated0017 } from "./migrations/integrated-0017.ts";
import { Integrated0018 } from "./migrations/integrated-0018.ts";
import { Integrated0019 } from "./migrations/integrated-0019.ts";

/** The migrations on PostgreSQL, in order. */
export const postgresqlMigrations = [
  Integrated0001,
  Integrated0002,
  Integrated0003,
  Integrated0004,
  Integrated0005,
  Integrated0006,
  Integrated0007,
  Integrated0008,
  Integrated0009,
  Integrated0010,
  Integrated0012,
  Integrated0013,
  Integrated0014,
  Integrated0015,
  Integrated0016,
  Integrated0017,
  Integrated0018,
  Integrated0019,
];
