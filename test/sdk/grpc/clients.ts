import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../support/service/server.ts";
import { probe, type Command } from "../command.ts";

/** A language in which a service calls Faultline over gRPC, with the program of docs/grpc.md. */
export interface GrpcClient {
  /** As the command line and FAULTLINE_SDK_REQUIRED call it. */
  readonly name: string;
  readonly sdk: string;
  readonly version: string;
  readonly remarks: readonly string[];
  /** The language of the program's block in docs/grpc.md. */
  readonly block: string;
  /** Writes the program of the documentation into the empty directory `dir`. */
  readonly write: (dir: string, program: string) => void;
  /** The commands that generate and build it there, in turn. */
  readonly build: (dir: string) => readonly Command[];
  readonly start: (dir: string) => Command;
}

const proto = join(repositoryRoot, "proto");

/** Runs a script in a directory; `$proto` is the folder of the schema. */
const shell = (dir: string, script: string, limitSeconds: number): Command => ({
  words: ["sh", "-ec", script],
  cwd: dir,
  limitSeconds,
  env: { proto },
});

/** A compiler of proto files with the generator for Python in a virtual environment. */
const grpcioTools = (packages: string) =>
  `python3 -m venv venv && venv/bin/pip install --disable-pip-version-check ${packages}`;

const protoFiles = '-I "$proto" "$proto"/faultline/v1/*.proto';

export const grpcClients: readonly GrpcClient[] = [
  {
    name: "grpc-python",
    sdk: "grpcio",
    version: "1.76.0",
    remarks: [],
    block: "python",
    write: (dir, program) => writeFileSync(join(dir, "client.py"), program),
    build: (dir) => [
      probe("python3", "--version"),
      shell(dir, grpcioTools("grpcio==1.76.0 grpcio-tools==1.76.0 grpcio-status==1.76.0"), 180),
      shell(dir, `venv/bin/python -m grpc_tools.protoc --python_out=. --grpc_python_out=. ${protoFiles}`, 60),
    ],
    start: (dir) => shell(dir, "venv/bin/python client.py", 30),
  },
  {
    name: "grpc-go",
    sdk: "google.golang.org/grpc",
    version: "1.76.0",
    remarks: [],
    block: "go",
    write(dir, program) {
      writeFileSync(join(dir, "go.mod"), "module example.com/client\n\ngo 1.24\n");
      writeFileSync(join(dir, "main.go"), program);
    },
    build: (dir) => [
      probe("go", "version"),
      shell(dir, grpcioTools("grpcio-tools==1.76.0"), 180),
      shell(
        dir,
        `GOBIN="$PWD/bin" go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.10
        GOBIN="$PWD/bin" go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.5.1`,
        240,
      ),
      shell(
        dir,
        `PATH="$PWD/bin:$PATH" venv/bin/python -m grpc_tools.protoc --go_out=. --go_opt=paths=source_relative \
        --go-grpc_out=. --go-grpc_opt=paths=source_relative ${protoFiles}
        go get google.golang.org/grpc@v1.76.0
        go mod tidy
        go build -o client .`,
        400,
      ),
    ],
    start: (dir) => shell(dir, "./client", 30),
  },
  {
    name: "grpc-java",
    sdk: "io.grpc:grpc-stub",
    version: "1.76.0",
    remarks: [],
    block: "java",
    write(dir, program) {
      copyFileSync(join(import.meta.dirname, "pom.xml"), join(dir, "pom.xml"));
      mkdirSync(join(dir, "src"));
      writeFileSync(join(dir, "src/Client.java"), program);
    },
    build: (dir) => [
      probe("mvn", "-version"),
      probe("javac", "-version"),
      shell(
        dir,
        `mvn -B -q dependency:copy-dependencies -DoutputDirectory=jars
        for tool in com.google.protobuf:protoc:3.25.8 io.grpc:protoc-gen-grpc-java:1.76.0; do
          mvn -B -q dependency:copy -Dartifact=$tool:exe:linux-x86_64 -DoutputDirectory=bin -Dmdep.stripVersion=true
        done
        chmod +x bin/*
        mkdir include && cd include && jar xf ../jars/protobuf-java-3.25.8.jar google`,
        300,
      ),
      shell(
        dir,
        `bin/protoc-linux-x86_64.exe --java_out=src --grpc-java_out=src \
        --plugin=protoc-gen-grpc-java=bin/protoc-gen-grpc-java-linux-x86_64.exe -I include ${protoFiles}
        find src -name '*.java' > sources
        javac -encoding UTF-8 -nowarn -cp 'jars/*' -d classes @sources`,
        240,
      ),
    ],
    start: (dir) => shell(dir, "java -cp 'classes:jars/*' Client", 60),
  },
];
