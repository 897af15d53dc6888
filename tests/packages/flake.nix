# The outputs of a flake with a stand-in for nixpkgs that builds nothing: what is asked of buildRustPackage, by system.
{ flake }:
let
  lib = {
    genAttrs = names: value: builtins.listToAttrs (map (name: { inherit name; value = value name; }) names);
    licenses.mit.spdxId = "MIT";
  };
  rustPlatform.buildRustPackage = wish: {
    name = "${wish.pname}-${wish.version}";
    inherit (wish) cargoBuildFlags doCheck installPhase;
    license = wish.meta.license.spdxId;
    has = map builtins.pathExists [ wish.src wish.cargoLock.lockFile ];
  };
  legacyPackages = lib.genAttrs [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ] (_: { inherit lib rustPlatform; });
in
(import flake).outputs { self = { }; nixpkgs = { inherit lib legacyPackages; }; }
