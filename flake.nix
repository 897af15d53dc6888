# nix profile install .#  puts it into your profile; lh-setup then takes the hooks' place there, which stays when the
# package is replaced.
{
  description = "Unix filters that turn a coding agent's finished session into memory";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      cargo = builtins.fromTOML (builtins.readFile ./Cargo.toml);
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      package = pkgs: pkgs.rustPlatform.buildRustPackage {
        pname = cargo.package.name;
        version = cargo.package.version;
        src = ./.;
        cargoLock.lockFile = ./Cargo.lock;
        cargoBuildFlags = [ "--bin" "lh" ];
        # They want a home, a clock and programs of the system.
        doCheck = false;
        # The folder of tools is where buildRustPackage built them.
        installPhase = ''
          runHook preInstall
          tools=$(dirname "$(find target -type f -path '*/release/lh')")
          DESTDIR=/ PREFIX=$out LH_TOOLS=$tools sh scripts/install
          rm $out/share/lh/install $out/share/lh/manifest
          runHook postInstall
        '';
        meta = {
          description = cargo.package.description;
          license = pkgs.lib.licenses.mit;
          mainProgram = "lh";
          platforms = systems;
        };
      };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: { default = package nixpkgs.legacyPackages.${system}; });
    };
}
