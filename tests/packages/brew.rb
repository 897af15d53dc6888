# brew.rb FORMULA RELEASE PREFIX - does what `brew install` does with a formula, as far as this one needs it: takes the
# archive for this machine from RELEASE, checks it, unpacks it, runs its install, and links what is in the keg.
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

class Pathname
  alias + join
end

class Formula
  include FileUtils
  class << self
    attr_reader :found

    %i[desc homepage license].each { |name| define_method(name) { |value| raise name.to_s if value.empty? } }
    def version(value = nil) = value ? @version = value : @version
    def url(value) = (@found ||= {})[:url] = value
    def sha256(value) = @found[:sha256] = value
    def here?(word) = RUBY_PLATFORM.include?(word)
    def on_macos = (yield if here?("darwin"))
    def on_linux = (yield if here?("linux"))
    def on_arm = (yield if here?("aarch64") || here?("arm64"))
    def on_intel = (yield if here?("x86_64"))
    def test = nil
  end

  attr_reader :prefix

  def initialize(prefix)
    @prefix = Pathname.new(prefix)
  end

  def share = prefix/"share"
  def bin = prefix/"bin"

  def system(*command)
    Kernel.system(*command.map(&:to_s)) or raise "#{command.join(" ")}: #{$?}"
  end
end

formula, release, brew = ARGV
load formula
found = LhMemory.found or raise "no archive for this machine"
archive = File.join(release, File.basename(found[:url]))
raise "#{archive}: another checksum" if Digest::SHA256.file(archive).hexdigest != found[:sha256]

keg = File.join(brew, "Cellar/lh-memory", LhMemory.version)
FileUtils.mkdir_p(keg)
Dir.mktmpdir do |build|
  system("tar", "-C", build, "-xf", archive) or raise "tar"
  Dir.chdir(Dir.glob("#{build}/*").first) { LhMemory.new(keg).install }
end
Dir.glob("#{keg}/{bin,share}/**/*").reject { |path| File.directory?(path) }.each do |path|
  link = File.join(brew, path.delete_prefix("#{keg}/"))
  FileUtils.mkdir_p(File.dirname(link))
  FileUtils.ln_s(path, link)
end
